// SPDX-License-Identifier: Apache-2.0
#include "src/cli/findings/last_words.h"

#include <fmt/format.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cctype>
#include <vector>

#include "src/report/model/failure_kinds.h"
#include "src/report/words/text.h"

namespace jostle::cli {
namespace {

constexpr size_t kLines = 2;
constexpr size_t kLongestLine = 200;          // of the text
constexpr off_t kMostHeard = off_t{1} << 20;  // bytes, from the end

std::vector<std::string_view> lines_of(std::string_view text) {
  std::vector<std::string_view> lines;
  while (!text.empty()) {
    const size_t end = std::min(text.find('\n'), text.size());
    const std::string_view line = text.substr(0, end);
    if (line.find_first_not_of(" \t\r") != line.npos) lines.push_back(line);
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return lines;
}

// "[  FAILED  ] Bank.Transfer (3 ms)" → "Bank.Transfer"; the first one counts.
std::string failed_test(std::string_view output) {
  constexpr std::string_view kFailed = "[  FAILED  ] ";
  for (std::string_view line : lines_of(output)) {
    if (!line.starts_with(kFailed)) continue;
    line.remove_prefix(kFailed.size());
    const std::string_view name = line.substr(0, line.find_first_of(" ,"));
    if (name.find('.') != name.npos) return std::string(name);
  }
  return {};
}

std::string without_numbers(std::string_view text) {
  std::string result;
  for (const char c : text) {
    const bool digit = std::isdigit(static_cast<unsigned char>(c)) != 0;
    if (digit && !result.empty() && result.back() == '0') continue;
    result += digit ? '0' : c;
  }
  return result;
}

// "[ RUN      ] Bank.Transfer" to "[  FAILED  ] Bank.Transfer (3 ms)": what is between is about it.
std::string_view of_test(std::string_view output, const std::string& test) {
  const size_t failed = output.find("[  FAILED  ] " + test);
  const size_t begin = output.rfind("[ RUN      ] " + test, failed);
  if (failed == output.npos || begin == output.npos) return output;
  const size_t first = output.find('\n', begin);
  return first < failed ? output.substr(first + 1, failed - first - 1) : output;
}

std::string without_tabs(std::string_view line) {
  std::string result;
  for (const char c : line) result += c == '\t' ? ' ' : c;
  return result;
}

// "path/queue_test.cc:12: Failure" → "queue_test.cc:12", and what follows in `rest`. All three
// frameworks begin a check that failed with its place and one of these words.
std::string_view place_of_check(std::string_view line, std::string_view& rest) {
  for (const std::string_view word : {": Failure", ": FAILED:", ": ERROR: ", ": FATAL ERROR: "}) {
    const size_t at = line.find(word);
    if (at == line.npos) continue;
    const std::string_view place = report::base_name(line.substr(0, at));
    const size_t number = place.rfind(':');
    if (number == place.npos || number == 0 || number + 1 == place.size()) continue;
    if (place.find_first_not_of("0123456789", number + 1) != place.npos) continue;
    rest = line.substr(at + word.size());
    return place;
  }
  return {};
}

// What was seen, which differs from run to run: the check is the same.
bool is_value(std::string_view line) {
  return line.starts_with("Which is:") || line.starts_with("Actual:") ||
         line.starts_with("values:");
}

std::string_view without_margins(std::string_view line) {
  const size_t first = line.find_first_not_of(" \t\r");
  if (first == line.npos) return {};
  return line.substr(first, line.find_last_not_of(" \t\r") - first + 1);
}

// Lines as one: "these values: n (which is 1), 2".
std::string joined_to(std::string_view before, std::string_view line) {
  constexpr std::string_view kWhich = "Which is: ";
  if (line.starts_with(kWhich)) return fmt::format(" (which is {})", line.substr(kWhich.size()));
  return fmt::format("{} {}", before.ends_with(':') ? "" : ",", line);
}

// The lines behind its first one up to an empty one, or one that is the framework's own.
LastWords failed_check_in(std::string_view output) {
  constexpr size_t kMostLines = 6;
  LastWords words;
  size_t lines = 0;
  bool is_expansion = false;
  while (!output.empty()) {
    const size_t end = std::min(output.find('\n'), output.size());
    const std::string_view line = output.substr(0, end);
    output.remove_prefix(std::min(end + 1, output.size()));
    std::string_view text = without_margins(line);
    if (words.check.empty()) {
      std::string_view rest;
      const std::string_view place = place_of_check(line, rest);
      if (place.empty()) continue;
      words.check = fmt::format("{}:", report::escape(place));
      words.identity = std::string(place.substr(0, place.rfind(':')));
      text = without_margins(rest);
      if (text.empty()) continue;
    } else if (text.empty() || text.starts_with('[') || ++lines > kMostLines) {
      break;
    }
    words.check += joined_to(words.check, report::escape(without_tabs(text)));
    if (!is_value(text) && !is_expansion) words.identity += "\n" + without_numbers(text);
    is_expansion |= text == "with expansion:";
  }
  words.check = report::shorten(words.check, kLongestLine);
  return words;
}

bool is_of_library(std::string_view line) {
  return line.starts_with("terminate called ") || line.starts_with("  what():  ");
}

}  // namespace

std::vector<std::string> output_tail(std::string_view output, const channel::Failure& end) {
  constexpr size_t kMostLines = 8, kWidest = 1000;
  const bool tells = (end.outcome == channel::Outcome::exited && end.code != 0) ||
                     end.outcome == channel::Outcome::aborted ||
                     end.outcome == channel::Outcome::exception;
  if (!tells) return {};
  if (const std::string test = failed_test(output); !test.empty()) output = of_test(output, test);
  std::vector<std::string_view> lines = lines_of(output);
  if (end.outcome == channel::Outcome::exception) std::erase_if(lines, is_of_library);
  std::vector<std::string> tail;
  for (size_t i = lines.size() > kMostLines ? lines.size() - kMostLines : 0; i < lines.size();
       ++i) {
    std::string_view line = lines[i];
    if (line.ends_with('\r')) line.remove_suffix(1);
    tail.push_back(report::shorten(report::escape(without_tabs(line)), kWidest));
  }
  return tail;
}

std::string written_to(int fd) {
  const off_t size = lseek(fd, 0, SEEK_END);
  const off_t from = size > kMostHeard ? size - kMostHeard : 0;
  std::string text(static_cast<size_t>(size > from ? size - from : 0), '\0');
  const ssize_t n = pread(fd, text.data(), text.size(), from);
  text.resize(n > 0 ? static_cast<size_t>(n) : 0);
  return text;
}

LastWords last_words(std::string_view output, std::string_view errors, bool is_test) {
  if (is_test) {
    LastWords words = failed_check_in(output);
    if (!words.check.empty()) return words;
  }
  if (const std::string test = failed_test(output); !test.empty()) {
    return {"test " + test + " failed", "test " + test};
  }
  const std::vector<std::string_view> lines = lines_of(errors);
  LastWords words;
  for (size_t i = lines.size() > kLines ? lines.size() - kLines : 0; i < lines.size(); ++i) {
    words.text +=
        (words.text.empty() ? "" : " / ") + report::escape(lines[i].substr(0, kLongestLine));
    words.identity += without_numbers(lines[i]) + "\n";
  }
  return words;
}

Result<Heard> listen(const ConfirmSetup& setup, const Finding& finding) {
  const Descriptor output(memfd_create("jostle-output", MFD_CLOEXEC));
  const Descriptor errors(memfd_create("jostle-errors", MFD_CLOEXEC));
  Result<Execution> run = replay_finding(setup, finding, {output.get(), errors.get(), true});
  if (!run) return run.error();
  Heard heard;
  heard.out_of_time = run->out_of_time;
  heard.same_end = report::same_failure(finding.end, run->record().end);
  if (heard.same_end) {
    heard.words =
        last_words(written_to(output.get()), written_to(errors.get()), !setup.program.test.empty());
  }
  return heard;
}

}  // namespace jostle::cli
