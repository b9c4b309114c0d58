// SPDX-License-Identifier: Apache-2.0
#include "src/cli/suites/test_framework.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <cstdlib>
#include <cstring>

namespace jostle::cli {
namespace {

// `calls`: the function that registers a test, as its symbol; `texts`: what is there without
// symbols, too.
struct Marks {
  Framework framework;
  std::string_view name, calls;
  std::array<std::string_view, 2> texts;
};
constexpr Marks kMarks[] = {
    {Framework::googletest,
     "GoogleTest",
     "_ZN7testing8internal23MakeAndRegisterTestInfo",
     {"gtest_list_tests", "N7testing4TestE"}},
    {Framework::catch2,
     "Catch2",
     "_ZN5Catch7AutoReg",
     {"list-test-names-only", "N5Catch12ITestInvokerE"}},
    {Framework::doctest,
     "doctest",
     "_ZN7doctest6detail7regTest",
     {"dt-list-test-cases", "N7doctest9IReporterE"}},
};

bool is_in(std::string_view bytes, std::string_view text) {
  return memmem(bytes.data(), bytes.size(), text.data(), text.size()) != nullptr;
}

std::vector<std::string_view> split_lines(std::string_view text) {
  std::vector<std::string_view> lines;
  while (!text.empty()) {
    const size_t end = std::min(text.find('\n'), text.size());
    std::string_view line = text.substr(0, end);
    if (line.ends_with('\r')) line.remove_suffix(1);
    lines.push_back(line);
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return lines;
}

// "Works/0  # GetParam() = 3" → "Works/0"
std::string_view without_remark(std::string_view line) {
  line = line.substr(0, line.find("  # "));
  while (line.ends_with(' ')) line.remove_suffix(1);
  return line;
}

bool is_one_word(std::string_view text) {
  return !text.empty() && text.find_first_of(" \t") == text.npos;
}

// A suite's name with a dot at its end, and its tests below it, indented. The program's own main
// may print more; that has no such form.
std::optional<std::vector<ListedTest>> read_googletest(std::string_view output) {
  std::vector<ListedTest> tests;
  std::string_view suite;
  for (const std::string_view line : split_lines(output)) {
    const std::string_view text = without_remark(line);
    if (text.ends_with('.') && is_one_word(text)) {
      suite = text.substr(0, text.size() - 1);
    } else if (text.starts_with("  ") && is_one_word(text.substr(2)) && !suite.empty()) {
      tests.push_back({fmt::format("{}.{}", suite, text.substr(2)), std::string(suite)});
    } else {
      suite = {};
    }
  }
  if (tests.empty() && is_in(output, "[==========]")) return std::nullopt;  // it ran them
  return tests;
}

// A name on each line, as it is: spaces are part of it. One that begins with # is in quotes.
std::optional<std::vector<ListedTest>> read_catch2(std::string_view output) {
  std::vector<ListedTest> tests;
  for (std::string_view line : split_lines(output)) {
    if (line.empty()) continue;
    if (line.starts_with("\"#") && line.ends_with('"')) line = line.substr(1, line.size() - 2);
    tests.push_back({std::string(line)});
  }
  return tests;
}

std::string from_xml(std::string_view text) {
  constexpr std::pair<std::string_view, char> kNames[] = {
      {"&lt;", '<'}, {"&gt;", '>'}, {"&amp;", '&'}, {"&quot;", '"'}, {"&apos;", '\''}};
  std::string result;
  while (!text.empty()) {
    const auto known = std::find_if(std::begin(kNames), std::end(kNames),
                                    [&](const auto& n) { return text.starts_with(n.first); });
    const bool is_known = known != std::end(kNames);
    result += is_known ? known->second : text[0];
    text.remove_prefix(is_known ? known->first.size() : 1);
  }
  return result;
}

std::string xml_attribute(std::string_view element, std::string_view name) {
  const std::string key = fmt::format(" {}=\"", name);
  const size_t at = element.find(key);
  if (at == element.npos) return {};
  element.remove_prefix(at + key.size());
  return from_xml(element.substr(0, element.find('"')));
}

// `<TestCase name="…" testsuite="…" filename="…"/>`, in a document that says it is doctest's.
std::optional<std::vector<ListedTest>> read_doctest(std::string_view output) {
  constexpr std::string_view kElement = "<TestCase ";
  if (!is_in(output, "<doctest ")) return std::nullopt;
  std::vector<ListedTest> tests;
  while (true) {
    const size_t at = output.find(kElement);
    if (at == output.npos) return tests;
    output.remove_prefix(at + kElement.size() - 1);
    const std::string_view element = output.substr(0, output.find("/>"));
    if (xml_attribute(element, "skipped") == "true") continue;
    tests.push_back({xml_attribute(element, "name"), xml_attribute(element, "testsuite"),
                     xml_attribute(element, "filename")});
  }
}

// Which of the user's words choose tests: of Catch2's all that are neither options nor values.
bool takes_value(std::string_view option) {
  constexpr std::string_view kOptions[] = {"-r",
                                           "--reporter",
                                           "-o",
                                           "--out",
                                           "-n",
                                           "--name",
                                           "-x",
                                           "--abortx",
                                           "-w",
                                           "--warn",
                                           "-d",
                                           "--durations",
                                           "-D",
                                           "--min-duration",
                                           "-c",
                                           "--section",
                                           "-v",
                                           "--verbosity",
                                           "--order",
                                           "--rng-seed",
                                           "--use-colour",
                                           "--colour-mode",
                                           "--wait-for-keypress",
                                           "--benchmark-samples",
                                           "--benchmark-resamples",
                                           "--benchmark-confidence-interval",
                                           "--benchmark-warmup-time",
                                           "--shard-count",
                                           "--shard-index",
                                           "-g",
                                           "--generator-index",
                                           "-p",
                                           "--path"};
  return std::find(std::begin(kOptions), std::end(kOptions), option) != std::end(kOptions);
}

bool is_input_file(std::string_view word) {
  const std::string_view option = word.substr(0, word.find_first_of("=:"));
  return option == "-f" || option == "--input-file";
}

struct CatchArguments {
  TestArguments options = {};
  bool choose = false;  // some of the words chose tests
};

CatchArguments catch_options(const TestArguments& arguments) {
  CatchArguments result;
  for (size_t i = 0; i < arguments.size(); ++i) {
    const std::string& word = arguments[i];
    if (is_input_file(word)) {
      result.choose = true;
      i += word.find_first_of("=:") == word.npos;  // with its value
    } else if (!word.starts_with('-')) {
      result.choose = true;
    } else {
      result.options.push_back(word);
      if (takes_value(word) && i + 1 < arguments.size()) {
        result.options.push_back(arguments[++i]);
      }
    }
  }
  return result;
}

std::string catch_pattern(std::string_view name) {
  std::string pattern;
  for (const char c : name) {
    if (std::strchr("\\,[]\"~", c) != nullptr) pattern += '\\';
    pattern += c;
  }
  return pattern;
}

bool chooses_doctest_case(std::string_view word) {
  for (const std::string_view option : {"-tc=", "--test-case=", "-dt-tc=", "--dt-test-case=",
                                        "--tc=", "--dt-tc=", "-test-case=", "-dt-test-case="}) {
    if (word.starts_with(option)) return true;
  }
  return false;
}

// A comma would separate two patterns, and only younger versions can quote it; any character will
// do instead.
std::string doctest_pattern(std::string_view name) {
  std::string pattern(name);
  std::replace(pattern.begin(), pattern.end(), ',', '?');
  return pattern;
}

}  // namespace

std::string_view name(Framework framework) {
  for (const Marks& marks : kMarks) {
    if (marks.framework == framework) return marks.name;
  }
  return "?";
}

std::vector<Framework> frameworks_in(std::string_view program) {
  std::vector<Framework> called, mentioned;
  for (const Marks& marks : kMarks) {
    if (is_in(program, marks.calls)) called.push_back(marks.framework);
    if (std::any_of(marks.texts.begin(), marks.texts.end(),
                    [&](std::string_view text) { return is_in(program, text); })) {
      mentioned.push_back(marks.framework);
    }
  }
  return called.empty() ? mentioned : called;
}

std::vector<TestArguments> questions(Framework framework, const TestArguments& arguments) {
  const auto with = [](TestArguments words, const TestArguments& more) {
    words.insert(words.end(), more.begin(), more.end());
    return words;
  };
  switch (framework) {
    case Framework::googletest:
      return {with(arguments, {"--gtest_list_tests", "--gtest_output="})};
    case Framework::catch2: {
      // Hidden tests run only when somebody asks for them.
      const TestArguments all =
          catch_options(arguments).choose ? arguments : with(arguments, {"~[.]"});
      return {with(all, {"--list-test-names-only"}),
              with(all, {"--list-tests", "--verbosity", "quiet"})};
    }
    case Framework::doctest:
      return {with(arguments, {"--list-test-cases", "--reporters=xml"})};
  }
  return {};
}

std::optional<std::vector<ListedTest>> read_list(Framework framework, std::string_view output) {
  switch (framework) {
    case Framework::googletest:
      return read_googletest(output);
    case Framework::catch2:
      return read_catch2(output);
    case Framework::doctest:
      return read_doctest(output);
  }
  return std::nullopt;
}

bool is_disabled(const ListedTest& test) {
  return test.name.starts_with("DISABLED_") || test.name.find(".DISABLED_") != test.name.npos ||
         test.name.find("/DISABLED_") != test.name.npos;
}

bool wants_disabled(const TestArguments& arguments) {
  constexpr std::string_view kFlag = "gtest_also_run_disabled_tests";
  const auto is_on = [](std::string_view value) {
    return !value.empty() && std::strchr("0fF", value[0]) == nullptr;
  };
  const char* variable = std::getenv("GTEST_ALSO_RUN_DISABLED_TESTS");
  bool wanted = variable != nullptr && is_on(variable);
  for (std::string_view word : arguments) {
    if (!word.starts_with('-')) continue;
    word.remove_prefix(word.starts_with("--") ? 2 : 1);
    if (!word.starts_with(kFlag)) continue;
    word.remove_prefix(kFlag.size());
    wanted = word.empty() || (word[0] == '=' && is_on(word.substr(1)));
  }
  return wanted;
}

TestArguments arguments_for(Framework framework, const TestArguments& arguments,
                            const ListedTest& test, size_t number) {
  TestArguments words = arguments;
  switch (framework) {
    case Framework::googletest:  // the last filter counts
      words.push_back("--gtest_filter=" + test.name);
      break;
    case Framework::catch2:
      words = catch_options(arguments).options;
      words.push_back(catch_pattern(test.name));
      break;
    case Framework::doctest:
      std::erase_if(words, chooses_doctest_case);
      words.push_back("--test-case=" + doctest_pattern(test.name));
      if (number != 0) {
        words.push_back(fmt::format("--first={}", number));
        words.push_back(fmt::format("--last={}", number));
      }
      break;
  }
  return words;
}

bool is_surely_one(Framework framework, const ListedTest& test) {
  if (framework == Framework::googletest) return true;  // names are identifiers, and compared as is
  if (test.name.empty() || test.name.front() == ' ' || test.name.back() == ' ') return false;
  return std::all_of(test.name.begin(), test.name.end(), [](char c) {
    const auto byte = static_cast<unsigned char>(c);
    return std::isalnum(byte) || byte >= 0x80 || std::strchr(" _-./:()<>=+;'", c) != nullptr;
  });
}

}  // namespace jostle::cli
