// SPDX-License-Identifier: Apache-2.0
#include "src/report/model/failure_kinds.h"

#include <fmt/format.h>
#include <signal.h>
#include <string.h>

#include <algorithm>
#include <vector>

#include "src/report/text/race_text.h"
#include "src/report/words/record_view.h"
#include "src/report/words/text.h"
#include "src/report/words/verdict.h"
#include "src/report/words/wait_cycle.h"
#include "src/schedule/starvation.h"

namespace jostle::report {
namespace {

using channel::Failure;
using channel::Outcome;

struct KindName {
  Outcome outcome;
  std::string_view kind;
  std::string_view verdict;
};

constexpr std::string_view kStarvation = "starvation";
constexpr std::string_view kNoProgress = "progress";

// Operations that did not return when others were stopped, not ones that returned what no order
// does.
bool is_broken_promise(const Failure& end) {
  return end.outcome == Outcome::history && end.code != 0;
}

std::string_view broken_promise(const Failure& end) {
  switch (static_cast<Promise>(end.code)) {
    case Promise::obstruction_free:
      return "NOT OBSTRUCTION-FREE";
    case Promise::lock_free:
      return "NOT LOCK-FREE";
    default:
      return "NOT WAIT-FREE";
  }
}

constexpr KindName kKinds[] = {
    {Outcome::running, "running", "UNFINISHED"},
    {Outcome::exited, "exit", "FAILED"},
    {Outcome::assertion, "assert", "FAILED"},
    {Outcome::aborted, "abort", "ABORTED"},
    {Outcome::exception, "exception", "FAILED"},
    {Outcome::signalled, "crash", "CRASHED"},
    {Outcome::deadlock, "deadlock", "DEADLOCK"},
    {Outcome::livelock, "livelock", "LIVELOCK"},
    {Outcome::step_limit, "steps", "STEP LIMIT"},
    {Outcome::timed_out, "timeout", "TIMED OUT"},
    {Outcome::misuse, "misuse", "MISUSE"},
    {Outcome::diverged, "diverged", "DIVERGED"},
    {Outcome::unsupported, "unsupported", "UNSUPPORTED"},
    {Outcome::stopped, "stopped", "STOPPED"},
    {Outcome::race, "race", "RACE"},
    {Outcome::heap_error, "heap", "HEAP"},
    {Outcome::cut_off, "long", "CUT OFF"},
    {Outcome::history, "history", "NOT LINEARIZABLE"},
    {Outcome::not_atomic, "atomic", "NOT ATOMIC"},
};
static_assert(std::size(kKinds) == channel::kOutcomes);

const KindName& entry(Outcome outcome) {
  const auto index = static_cast<uint32_t>(outcome);
  return kKinds[index < std::size(kKinds) ? index : 0];
}

std::string place(const Frame& frame) {
  if (frame.where.empty()) return {};
  if (frame.function.empty()) return " at " + source(frame);
  return fmt::format(" in {} at {}", shorten(readable_function(frame.function), 40), source(frame));
}

std::string assertion_place(const Failure& end) {
  std::string function(escape(bounded(end.function)));
  std::string text;
  if (!function.empty()) text += fmt::format(" in {}", shorten(readable_function(function), 40));
  if (end.line != 0) {
    text += fmt::format(" at {}:{}", escape(base_name(bounded(end.file))), end.line);
  }
  return text;
}

std::string_view message_or(const Failure& end, std::string_view fallback) {
  const std::string_view message = bounded(end.message);
  return message.empty() ? fallback : message;
}

// "main", "main and T1 work", "3 threads"
std::string several(const std::vector<uint32_t>& threads, Names& names) {
  const bool has_main = !threads.empty() && threads.front() == 0;
  const size_t others = threads.size() - (has_main ? 1 : 0);
  if (others == 0) return "main";
  if (others == 2 && !has_main) {
    return fmt::format("{} and {}", names.title(threads[0]), names.title(threads[1]));
  }
  return fmt::format("{}{}", has_main ? "main and " : "",
                     others == 1 ? names.title(threads.back()) : count(others, "thread"));
}

// "T1 pay and T2 report wait for each other", "T1 work waits for ever". Who only waits for the end
// of another is not what it is about.
std::string deadlock_summary(const channel::RunRecord& record, Names& names) {
  std::vector<uint32_t> cycle = wait_cycle(reports(record)), stuck, all;
  for (const channel::ThreadReport& thread : reports(record)) {
    if (thread.state != channel::ThreadState::blocked) continue;
    all.push_back(thread.thread);
    if (thread.pending.kind != OpKind::thread_join) stuck.push_back(thread.thread);
  }
  for (std::vector<uint32_t>* threads : {&cycle, &stuck, &all}) std::ranges::sort(*threads);
  if (!family_waits(record).empty()) return "several processes wait for ever";
  if (cycle.size() > 1) return fmt::format("{} wait for each other", several(cycle, names));
  const std::vector<uint32_t>& who = stuck.empty() ? all : stuck;
  if (who.empty()) return "nothing can run any more";
  return fmt::format("{} {} for ever", several(who, names), who.size() == 1 ? "waits" : "wait");
}

}  // namespace

std::string_view kind(Outcome outcome) { return entry(outcome).kind; }

std::string_view kind(const Failure& end) {
  if (channel::is_starvation(end)) return kStarvation;
  if (is_broken_promise(end)) return kNoProgress;
  return end.outcome == Outcome::exited && end.code == 0 ? "ok" : kind(end.outcome);
}

bool outcome_from_kind(std::string_view name, Outcome& outcome) {
  if (name == "ok") name = "exit";
  if (name == kStarvation) name = "livelock";
  if (name == kNoProgress) name = "history";
  for (const KindName& known : kKinds) {
    if (known.kind != name) continue;
    outcome = known.outcome;
    return true;
  }
  return false;
}

bool is_failure(const Failure& end, bool exit_is_failure) {
  switch (end.outcome) {
    case Outcome::running:
    case Outcome::diverged:
    case Outcome::unsupported:
    case Outcome::stopped:
    case Outcome::cut_off:
      return false;
    case Outcome::exited:
      return exit_is_failure && end.code != 0;
    default:
      return true;
  }
}

std::string signal_name(int signal) {
  const char* name = sigabbrev_np(signal);
  return name == nullptr ? fmt::format("signal {}", signal) : fmt::format("SIG{}", name);
}

std::string_view verdict(Outcome outcome) { return entry(outcome).verdict; }

std::string_view verdict(const Failure& end) {
  if (is_broken_promise(end)) return broken_promise(end);
  return channel::is_starvation(end) ? "STARVATION" : verdict(end.outcome);
}

std::string summary(const Failure& end) {
  const std::string message = escape(bounded(end.message));
  switch (end.outcome) {
    case Outcome::running:
      return "never came to an end";
    case Outcome::exited:
      return fmt::format("exit status {}", end.code);
    case Outcome::assertion:
      return fmt::format("assertion `{}'{}", escape(message_or(end, "?")), assertion_place(end));
    case Outcome::history:
    case Outcome::not_atomic:
      return message + assertion_place(end);
    case Outcome::aborted:
      return "abort() called";
    case Outcome::exception:
      return fmt::format("uncaught exception {}", message.empty() ? "of unknown type" : message);
    case Outcome::signalled: {
      const bool has_address = end.code == SIGSEGV || end.code == SIGBUS;
      return signal_name(end.code) +
             (has_address ? fmt::format(" at address {:#x}", end.address) : "");
    }
    case Outcome::deadlock:
      return message.empty() ? "threads wait for each other" : message;
    case Outcome::livelock:
      return message.empty() ? "all live threads spin or wait for ever" : message;
    case Outcome::step_limit:
      return message.empty() ? fmt::format("no end after {} steps", thousands(end.steps)) : message;
    case Outcome::timed_out:
      return message.empty() ? "the run took too long in real time" : message;
    default:
      return message.empty() ? std::string(kind(end.outcome)) : message;
  }
}

std::string summary(const channel::RunRecord& record, Symbolizer& symbols, Names& names) {
  const Failure& end = record.end;
  if (end.outcome == Outcome::deadlock) return deadlock_summary(record, names);
  if (end.outcome == Outcome::race && record.race_count != 0) {
    return "data race on " + race_line(races(record).back(), symbols, names);
  }
  if (channel::is_starvation(end)) {
    return fmt::format("{} waits for {} while others get it more than {}{}",
                       names.title(end.thread), names.object(end.address),
                       count(static_cast<uint64_t>(end.code), "time"),
                       place(symbols.line_that_matters(end.stack)));
  }
  std::string text = summary(end);
  const bool exact = end.outcome == Outcome::signalled;
  switch (end.outcome) {
    case Outcome::assertion:
    case Outcome::exited:
    case Outcome::history:
    case Outcome::not_atomic:
      break;
    default:
      text += place(symbols.line_that_matters(end.stack, exact));
  }
  return text;
}

bool same_failure(const Failure& a, const Failure& b) {
  if (a.outcome != b.outcome) return false;
  switch (a.outcome) {
    case Outcome::exited:
    case Outcome::signalled:
    case Outcome::history:
      return a.code == b.code;
    case Outcome::assertion:
      // The file as the compiler was called with it: from another folder it has another path.
      return a.line == b.line && bounded(a.message) == bounded(b.message) &&
             base_name(bounded(a.file)) == base_name(bounded(b.file));
    case Outcome::race:
      return channel::race_key(a.race[0], a.race[1]) == channel::race_key(b.race[0], b.race[1]);
    case Outcome::exception:
    case Outcome::misuse:
    case Outcome::heap_error:
      return bounded(a.message) == bounded(b.message);
    default:
      return true;
  }
}

}  // namespace jostle::report
