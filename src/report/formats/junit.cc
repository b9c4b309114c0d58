// SPDX-License-Identifier: Apache-2.0
#include "src/report/formats/junit.h"

#include <fmt/format.h>

#include <algorithm>

#include "src/report/explain/history_text.h"
#include "src/report/explain/result_text.h"
#include "src/report/formats/failure_json.h"
#include "src/report/formats/html_parts.h"
#include "src/report/text/event_text.h"
#include "src/report/words/record_view.h"
#include "src/report/words/text.h"

namespace jostle::report {
namespace {

// The end of the interleaving; the whole is in report.html.
constexpr size_t kMostShownSteps = 60;

std::string case_begin(const RunResult& result, std::string_view name, double seconds) {
  return fmt::format("    <testcase classname=\"jostle.{}\" name=\"{}\" time=\"{:.3f}\">\n",
                     xml_quote(escape(base_name(result.program))), xml_quote(name), seconds);
}

std::string failure_text(const TraceModel& model) {
  std::string text = headline(model) + "\n";
  const std::string results =
      history_block(model.history, kColumns) + result_block(model.result, kColumns);
  if (!results.empty()) text += "\n" + results;
  if (!model.explanation.empty()) text += "\n" + model.explanation + "\n";
  for (const std::string& sentence : model.early) text += "\ntime: " + sentence + "\n";
  for (const ThreadModel& thread : model.threads) {
    if (!thread.blocked) continue;
    text += fmt::format("\n{} {} ({})", thread.title, thread.doing, place_text(thread.at));
    for (const HeldLockModel& lock : thread.holds) {
      text += fmt::format("\n    holds {} {} ({})", lock.noun, model.objects[lock.object].name,
                          place_text(lock.place));
    }
  }
  // Results belong to no place.
  const bool has_stack = results.empty() && !model.failing_stack.empty();
  if (has_stack) text += "\nstack:\n";
  for (const Place& place : model.failing_stack) {
    if (has_stack) text += fmt::format("  {}  {}\n", place.function, place_text(place));
  }
  text += fmt::format("\nthe interleaving ({}):\n", count(model.preemptions, "preemption"));
  const size_t first =
      model.events.size() > kMostShownSteps ? model.events.size() - kMostShownSteps : 0;
  if (first != 0) text += fmt::format("  … {} before these\n", count(first, "event"));
  for (size_t i = first; i < model.events.size(); ++i) {
    const EventModel& event = model.events[i];
    const std::string where = event.place == kNoIndex ? "" : place_text(model.places[event.place]);
    text += fmt::format("  {:<6} {}{}  {}\n", model.threads[event.thread].label,
                        event.executed ? "" : "about to ", operation_text(model, event), where);
  }
  if (!model.replay_command.empty()) text += "\nreplay: " + model.replay_command + "\n";
  return text;
}

// "assert-5d0c1f", as its folder is called.
std::string case_name(const TraceModel& model) {
  if (model.signature == 0) return model.kind;
  return fmt::format("{}-{}", model.kind, signature_text(model.signature).substr(0, 6));
}

std::string failure_element(const TraceModel& model) {
  return fmt::format("      <failure type=\"{}\" message=\"{}\">{}</failure>\n",
                     xml_quote(model.kind), xml_quote(model.summary),
                     xml_quote(failure_text(model)));
}

std::string error_element(std::string_view type, std::string_view text) {
  return fmt::format("      <error type=\"{}\" message=\"{}\"/>\n", xml_quote(type),
                     xml_quote(text));
}

// How many of a suite's tests ended how.
struct Counts {
  size_t tests = 0, failures = 0, errors = 0, skipped = 0;
  double seconds = 0;

  void add(const Counts& other) {
    tests += other.tests;
    failures += other.failures;
    errors += other.errors;
    skipped += other.skipped;
    seconds += other.seconds;
  }
  std::string text() const {
    return fmt::format("tests=\"{}\" failures=\"{}\" errors=\"{}\" skipped=\"{}\" time=\"{:.3f}\"",
                       tests, failures, errors, skipped, seconds);
  }
};

std::string test_case(const RunResult& result, const TestResult& test, Counts& counts) {
  std::string text = fmt::format("    <testcase classname=\"{}\" name=\"{}\" time=\"{:.3f}\">\n",
                                 xml_quote(test.class_name), xml_quote(test.name), test.seconds);
  const bool has_error = !test.problem.empty() || !test.unconfirmed.empty();
  ++counts.tests;
  counts.seconds += test.seconds;
  counts.failures += !test.failures.empty();
  counts.errors += test.failures.empty() && has_error;
  counts.skipped += !test.skipped.empty();
  for (const size_t index : test.failures) text += failure_element(result.failures[index]);
  for (const Unconfirmed& failure : test.unconfirmed) {
    text += error_element("unconfirmed", fmt::format("{}: {}", failure.summary, failure.why));
  }
  if (!test.problem.empty()) text += error_element("error", test.problem);
  if (!test.skipped.empty()) {
    text += fmt::format("      <skipped message=\"{}\"/>\n", xml_quote(test.skipped));
  } else if (test.failures.empty() && !has_error) {
    text += fmt::format("      <system-out>no failure in {}</system-out>\n",
                        count(test.schedules, "schedule"));
  }
  return text + "    </testcase>\n";
}

// A suite's tests stand together, wherever the framework had them; suites in the order of their
// first test.
std::string tests_text(const RunResult& result) {
  std::vector<std::string_view> suites;
  for (const TestResult& test : result.tests) {
    if (std::find(suites.begin(), suites.end(), test.suite) == suites.end()) {
      suites.push_back(test.suite);
    }
  }
  std::string body;
  Counts all;
  for (const std::string_view suite : suites) {
    Counts counts;
    std::string cases;
    for (const TestResult& test : result.tests) {
      if (test.suite == suite) cases += test_case(result, test, counts);
    }
    body += fmt::format("  <testsuite name=\"{}\" {}>\n{}  </testsuite>\n", xml_quote(suite),
                        counts.text(), cases);
    all.add(counts);
  }
  return fmt::format(
      "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites name=\"{}\" {}>\n{}</testsuites>\n",
      xml_quote(escape(base_name(result.program))), all.text(), body);
}

}  // namespace

std::string xml_quote(std::string_view text) {
  const std::string printable = [&] {
    // Lines stay lines; all else that moves the cursor is no XML either.
    std::string joined;
    while (true) {
      const size_t end = text.find('\n');
      joined += escape(text.substr(0, end));
      if (end == std::string_view::npos) return joined;
      joined += '\n';
      text.remove_prefix(end + 1);
    }
  }();
  std::string characters;
  for (size_t i = 0; i < printable.size(); ++i) {
    // U+FFFE and U+FFFF are characters, but not XML's.
    const bool none = printable.compare(i, 3, "\xEF\xBF\xBE") == 0 ||
                      printable.compare(i, 3, "\xEF\xBF\xBF") == 0;
    if (none) {
      characters += "\xEF\xBF\xBD";
      i += 2;
    } else {
      characters += printable[i];
    }
  }
  return html_quote(characters);
}

std::string junit_text(const RunResult& result) {
  if (!result.tests.empty()) return tests_text(result);
  std::string cases;
  size_t errors = 0;
  for (const TraceModel& model : result.failures) {
    cases += case_begin(result, case_name(model), 0);
    cases += failure_element(model) + "    </testcase>\n";
  }
  const auto add_error = [&](std::string_view name, std::string_view type, std::string_view text) {
    ++errors;
    cases += case_begin(result, name, 0);
    cases += error_element(type, text) + "    </testcase>\n";
  };
  size_t known_failures = 0, known_fixed = 0;
  for (const KnownFinding& finding : result.known) {
    if (finding.today == KnownFinding::Today::not_followed) {
      add_error("regression " + finding.name, "cannot be followed", finding.text);
      continue;
    }
    const bool fails = finding.today == KnownFinding::Today::fails;
    ++(fails ? known_failures : known_fixed);
    cases += case_begin(result, "regression " + finding.name, finding.seconds);
    cases += fails ? fmt::format("      <failure type=\"{}\" message=\"{}\">{}</failure>\n",
                                 xml_quote(finding.kind), xml_quote(finding.text),
                                 xml_quote("replay: " + finding.replay))
                   : fmt::format("      <system-out>{}</system-out>\n", xml_quote(finding.text));
    cases += "    </testcase>\n";
  }
  for (const Unconfirmed& failure : result.unconfirmed) {
    add_error("unconfirmed " + failure.kind, "unconfirmed",
              fmt::format("{}: {}", failure.summary, failure.why));
  }
  if (!result.problem.empty()) add_error(result.command, "error", result.problem);
  size_t tests = result.failures.size() + errors + known_failures + known_fixed;
  const bool search_passed =
      result.failures.empty() && result.unconfirmed.empty() && result.problem.empty();
  if (search_passed && (result.known.empty() || result.command != "replay")) {
    ++tests;
    cases += case_begin(result, result.command, result.seconds);
    cases += fmt::format("      <system-out>no failure in {}</system-out>\n    </testcase>\n",
                         count(result.schedules, "schedule"));
  }
  const std::string totals =
      fmt::format("tests=\"{}\" failures=\"{}\" errors=\"{}\" time=\"{:.3f}\"", tests,
                  result.failures.size() + known_failures, errors, result.seconds);
  return fmt::format(
      "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites name=\"jostle\" {0}>\n"
      "  <testsuite name=\"jostle {1}\" {0} skipped=\"0\">\n{2}  </testsuite>\n</testsuites>\n",
      totals, xml_quote(escape(base_name(result.program))), cases);
}

}  // namespace jostle::report
