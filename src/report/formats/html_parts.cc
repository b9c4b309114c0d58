// SPDX-License-Identifier: Apache-2.0
#include "src/report/formats/html_parts.h"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "src/report/explain/history_text.h"
#include "src/report/explain/mentions.h"
#include "src/report/explain/result_text.h"
#include "src/report/explain/sentence.h"
#include "src/report/formats/date.h"
#include "src/report/text/early_text.h"
#include "src/report/text/event_text.h"
#include "src/report/words/text.h"

namespace jostle::report {
namespace {

constexpr size_t kLastSteps = 120;

bool reads(OpKind kind) {
  return kind == OpKind::read || kind == OpKind::atomic_load || kind == OpKind::atomic_rmw;
}

// "a = 10" as a name and its value.
std::string value_entry(std::string_view text) {
  const size_t equals = text.find(" = ");
  if (equals == text.npos) {
    return fmt::format("<div><dt></dt><dd>{}</dd></div>", html_quote(text));
  }
  return fmt::format("<div><dt>{}</dt><dd>{}</dd></div>", html_quote(text.substr(0, equals)),
                     html_quote(text.substr(equals + 3)));
}

// What the failing thread read last, as long as that was in the line that failed.
std::vector<std::string> values_of_line(const TraceModel& model) {
  std::vector<std::string> values;
  if (!model.failing_place || model.failing_place->line == 0) return values;
  std::vector<uint32_t> seen;
  for (size_t i = model.events.size(); i-- > 0;) {
    const EventModel& event = model.events[i];
    if (!event.executed || event.thread != model.failing_thread) continue;
    if (event.place == kNoIndex) break;
    const Place& place = model.places[event.place];
    if (place.file != model.failing_place->file || place.line != model.failing_place->line) break;
    if (!reads(event.kind) || event.value.empty() || event.object == kNoIndex) continue;
    if (std::ranges::find(seen, event.object) != seen.end()) continue;
    seen.push_back(event.object);
    values.push_back(fmt::format("{} = {}", model.objects[event.object].name, event.value));
  }
  std::ranges::reverse(values);
  return values;
}

std::string values_section(std::string_view title, const std::vector<std::string>& values) {
  std::string text = fmt::format(
      "<section id=\"values\" aria-labelledby=\"values-title\">"
      "<h2 id=\"values-title\">{}</h2><dl class=\"values\">",
      html_quote(title));
  for (const std::string& value : values) text += value_entry(value);
  return text + "</dl></section>";
}

std::string linked(const TraceModel& model, const Mention& mention) {
  const std::string words =
      html_quote(model.explanation.substr(mention.begin, mention.end - mention.begin));
  const std::string place = fmt::format("data-file=\"{}\" data-line=\"{}\"",
                                        html_quote(escape(mention.file)), mention.line);
  if (mention.event == kNoIndex) {
    return fmt::format("<a class=\"op\" href=\"#steps\" {}>{}</a>", place, words);
  }
  return fmt::format("<a class=\"op\" href=\"#event-{0}\" data-event=\"{0}\" {1}>{2}</a>",
                     mention.event, place, words);
}

std::string fact(std::string_view name, const std::string& html) {
  return fmt::format("<div><dt>{}</dt><dd>{}</dd></div>", name, html);
}

// "2026-11-16 17:41 UTC"
std::string date_fact(std::string_view name, int64_t when) {
  const std::string date = date_text(when);
  if (date.size() < 16) return {};
  return fact(name, fmt::format("<time datetime=\"{}\">{} {} UTC</time>", date, date.substr(0, 10),
                                date.substr(11, 5)));
}

std::string search_fact(const TraceModel& model) {
  std::vector<std::string> parts;
  if (model.seed) parts.push_back(fmt::format("seed <b>{}</b>", *model.seed));
  if (model.schedule_number != 0) {
    parts.push_back(fmt::format("schedule {}", thousands(model.schedule_number)));
  }
  if (!model.strategy.empty()) {
    parts.push_back(fmt::format("strategy {}", html_quote(model.strategy)));
  }
  return parts.empty() ? "" : fact("search", fmt::format("{}", fmt::join(parts, ", ")));
}

std::string size_fact(const TraceModel& model) {
  std::string text = count(model.preemptions, "preemption");
  if (model.minimised_from && *model.minimised_from > model.preemptions) {
    text += fmt::format(" (was {})", thousands(*model.minimised_from));
  }
  return fact("run",
              fmt::format("{}, {} {}, {}, {}", text, thousands(model.switches),
                          model.switches == 1 ? "switch" : "switches",
                          count(model.threads.size(), "thread"), count(model.steps, "event")));
}

std::string operation_html(const TraceModel& model, const EventModel& event) {
  return html_quote(operation_text(model, event));
}

std::string step_row(const TraceModel& model, uint32_t i, bool is_explained) {
  const EventModel& event = model.events[i];
  const Place* place = event.place == kNoIndex ? nullptr : &model.places[event.place];
  return fmt::format(
      "<tr id=\"event-{}\"{}><td>{}</td><td>{}</td><td>{}{}</td><td>{}</td><td><code>{}</code>"
      "</td></tr>",
      i, is_explained ? " class=\"explained\"" : "", event.executed ? thousands(event.step) : "",
      html_quote(model.threads[event.thread].title), event.executed ? "" : "about to ",
      operation_html(model, event), place ? html_quote(place_text(*place)) : "",
      place ? html_quote(place->text) : "");
}

std::string stack_section(std::string_view title, const std::vector<Place>& stack) {
  if (stack.empty()) return {};
  std::string text = fmt::format("<h3>{}</h3><ol start=\"0\">", html_quote(title));
  for (const Place& frame : stack) {
    text +=
        fmt::format("<li>{} {}</li>", html_quote(frame.function), html_quote(place_text(frame)));
  }
  return text + "</ol>";
}

}  // namespace

std::string html_quote(std::string_view text) {
  std::string quoted;
  for (const char c : text) {
    switch (c) {
      case '&':
        quoted += "&amp;";
        break;
      case '<':
        quoted += "&lt;";
        break;
      case '>':
        quoted += "&gt;";
        break;
      case '"':
        quoted += "&quot;";
        break;
      case '\'':
        quoted += "&#39;";
        break;
      default:
        quoted += c;
    }
  }
  return quoted;
}

std::string values_html(const TraceModel& model) {
  constexpr size_t kColumnsOfPage = 140;
  const std::string results =
      history_block(model.history, kColumnsOfPage) + result_block(model.result, kColumnsOfPage);
  if (!results.empty()) {
    return fmt::format("<section id=\"history\"><pre class=\"history\">{}</pre></section>",
                       html_quote(results));
  }
  if (!model.values.empty()) return values_section("It fails with", model.values);
  const std::vector<std::string> values = values_of_line(model);
  if (values.empty()) return {};
  return values_section(fmt::format("Read at {} by {}", place_text(*model.failing_place),
                                    model.threads[model.failing_thread].title),
                        values);
}

std::string why_html(const TraceModel& model) {
  if (model.explanation.empty()) return {};
  std::string text =
      "<section id=\"why\" aria-labelledby=\"why-title\"><h2 id=\"why-title\">Why</h2>"
      "<p id=\"why-text\">";
  size_t at = 0;
  for (const Mention& mention : mentions(model)) {
    text += html_quote(std::string_view(model.explanation).substr(at, mention.begin - at));
    text += linked(model, mention);
    at = mention.end;
  }
  return text + html_quote(std::string_view(model.explanation).substr(at)) + "</p></section>";
}

std::string early_html(const TraceModel& model) {
  if (model.early.empty()) return {};
  std::string text =
      "<section id=\"time\" aria-labelledby=\"time-title\"><h2 id=\"time-title\">Time</h2><p>";
  for (const std::string& sentence : model.early) text += html_quote(sentence) + "<br>";
  return text + html_quote(kEarlyHint) + "</p></section>";
}

std::string facts_html(const TraceModel& model) {
  std::string text;
  if (!model.program.empty()) {
    std::string words = model.program;
    for (const std::string& argument : model.arguments) words += " " + argument;
    text += fact("program", fmt::format("<code>{}</code>", html_quote(words)));
  }
  if (model.found) text += date_fact("found", *model.found);
  if (model.replayed) text += date_fact("replayed", *model.replayed);
  return text + search_fact(model) + size_fact(model);
}

std::string steps_html(const TraceModel& model) {
  std::string text =
      "<h2 id=\"steps\">The last steps</h2><div class=\"scrolls\"><table><thead><tr>"
      "<th scope=\"col\">step</th><th scope=\"col\">thread</th><th scope=\"col\">operation</th>"
      "<th scope=\"col\">where</th><th scope=\"col\">source</th></tr></thead><tbody>";
  const size_t first = model.events.size() - std::min(model.events.size(), kLastSteps);
  for (uint32_t i = 0; i < model.events.size(); ++i) {
    const bool is_explained = std::ranges::binary_search(model.explained, i);
    if (i >= first || is_explained) text += step_row(model, i, is_explained);
  }
  text += "</tbody></table></div>";
  const auto who = [&](uint32_t thread) {
    return thread < model.threads.size() ? model.threads[thread].title : std::string("somebody");
  };
  for (const ThreadModel& thread : model.threads) {
    if (!thread.blocked) continue;
    text += fmt::format("<p>{} {} <code>{}</code></p>", html_quote(thread.title),
                        html_quote(thread.doing), html_quote(place_text(thread.at)));
  }
  if (model.race.empty()) text += stack_section("Stack", model.failing_stack);
  for (const RaceSideModel& side : model.race) {
    text += stack_section(fmt::format("{}: {}", who(side.thread), side.access), side.stack);
  }
  if (model.block) {
    text += stack_section("Freed by " + who(model.block->freed_by), model.block->freed_at);
    text +=
        stack_section("Allocated by " + who(model.block->allocated_by), model.block->allocated_at);
  }
  return text;
}

}  // namespace jostle::report
