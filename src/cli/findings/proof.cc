// SPDX-License-Identifier: Apache-2.0
#include "src/cli/findings/proof.h"

#include <fmt/ranges.h>

#include <algorithm>

#include "src/cli/runs/uncontrolled.h"
#include "src/report/words/text.h"
#include "src/schedule/before_main.h"

namespace jostle::cli {

uint64_t executions(const channel::Exploration& explored) {
  if (explored.is_weak) return explored.distinct;
  return explored.explored - std::min(explored.blocked, explored.explored);
}

namespace {

using Kind = Proof::Kind;

uint64_t ended(const Totals& totals, channel::Outcome outcome) {
  return totals.outcomes[static_cast<size_t>(outcome)];
}

std::string describe(TrailGap gap) {
  switch (gap) {
    case TrailGap::none:
      return {};
    case TrailGap::too_long:
      return "runs are too long to be explored";
    case TrailGap::signals:
      return "signals that interrupt threads, and some cancelled calls, are not explored";
    case TrailGap::processes:
      return "other processes are not explored";
    case TrailGap::time:
      return "a time-out struck when others had become busy, or was lost to them";
    case TrailGap::time_outs:
      return fmt::format("what follows more than {} time-outs of a thread is not explored",
                         kMostTimeOuts);
    case TrailGap::timers:
      return "timers are not explored";
    case TrailGap::not_judged:
      return "of some results it is not known whether an order of the operations gives them";
    case TrailGap::stopped:
      return "runs in which a test of progress stops threads are not explored in full";
    case TrailGap::spinning:
      return "a loop waits for other threads in a way that is not understood";
    case TrailGap::turns:
      return "a thread never gave way to others";
    case TrailGap::writers:
      return "read-write locks that prefer writers are not explored";
    case TrailGap::library:
      return "a library that is not instrumented schedules threads itself, which is not seen";
    case TrailGap::stale:
      return "what --memory=c11 allows beyond sequential consistency is not explored in full";
    case TrailGap::histories:
      return "an atomic has more stores that could still be read than are kept";
    case TrailGap::sizes:
      return "an atomic is accessed in different sizes, or in another than 1, 2, 4 or 8 bytes: "
             "with --memory=c11 only its newest value is read";
    case TrailGap::streams:
      return "who uses a stream first, of threads that wait for each other there, is not explored";
    case TrailGap::inputs:
      return "an input is drawn from more values than can be tried one by one";
    case TrailGap::differs:
      return "a run did something else than before under the same schedule: see `jostle doctor`";
    case TrailGap::lost:
      return "something orders threads that the search does not see: it had planned what they "
             "could not do";
  }
  return {};
}

// What the exploration does not cover. Empty: it covers everything.
std::string what_is_not_covered(const CampaignResult& result) {
  const channel::Exploration& explored = result.totals.exploration;
  if (explored.gap == TrailGap::none) return {};
  const std::string where = result.gap_place.empty() ? "" : fmt::format(" ({})", result.gap_place);
  return describe(explored.gap) + where;
}

// Why it is not said that all executions were explored. Empty: they were.
std::string what_is_missing(const CampaignResult& result) {
  const Totals& totals = result.totals;
  if (!result.target.instrumented && !result.sync_only) {
    return "the program is not instrumented: what threads do to memory was not seen (build it with "
           "`jostle cc`, or --sync-only)";
  }
  if (std::string gap = what_is_not_covered(result); !gap.empty()) return gap;
  if (!result.unconfirmed.empty()) return "a failure was seen that did not show again";
  if (totals.stuck != 0 || totals.restarts != 0) return "a run ended in a way that was not its own";
  if (ended(totals, channel::Outcome::cut_off) != 0) {
    return "runs did not end within the limits: --max-steps 0 --timeout 0 lets them run";
  }
  if (ended(totals, channel::Outcome::unsupported) != 0) {
    return "the program does what cannot be controlled: see `jostle doctor`";
  }
  if (totals.uncontrolled & channel::kThreadsBeforeMain) return "threads ran before main";
  for (const std::string_view line : describe_uncontrolled(matters_always(totals.uncontrolled))) {
    return std::string(line);
  }
  if (!result.executor_note.empty() && totals.uncontrolled != 0) {
    return describe_uncontrolled(totals.uncontrolled).empty()
               ? result.executor_note
               : std::string(describe_uncontrolled(totals.uncontrolled).front());
  }
  return {};
}

constexpr const char* kOrderOfCalls =
    "order of calls that change settings of the process not explored";

std::string memory_of(const channel::Exploration& explored) {
  if (explored.is_weak) return "C++'s memory model as of docs/weak-memory.md (no load buffering)";
  return explored.assumptions & kOrdersAreStrong
             ? "sequentially consistent memory although atomic orders are weaker (--memory=c11)"
             : "sequentially consistent memory";
}

std::vector<std::string> what_it_holds_for(const CampaignResult& result) {
  const channel::Exploration& explored = result.totals.exploration;
  const bool draws = result.totals.inputs != 0 && result.around.file.empty();
  std::vector<std::string> list = {draws ? "all values that are drawn" : "this input",
                                   memory_of(explored)};
  if (result.config.any_time_outs) list.push_back("time-outs at any time");
  if (explored.assumptions & kTimeoutsAreLate) {
    list.push_back(result.config.any_time_outs
                       ? "those of other calls only when nobody else can go on"
                       : "time-outs only when nobody else can go on");
  }
  if (explored.assumptions & kTimersOnTime) list.push_back("timers on time");
  if (explored.assumptions & kWaitsNeedSignals) {
    list.push_back("waits that end only by a signal");
  }
  if (explored.assumptions & kComparesNeedReasons) {
    list.push_back("compare_exchange_weak that fails only for another value");
  }
  if (explored.assumptions & kFewSpurious) {
    list.push_back(
        fmt::format("at most {} waits of a run that end without a signal", kMostSpurious));
  }
  if (explored.assumptions & kFewFailures) {
    list.push_back(fmt::format(
        "at most {} compare_exchange_weak of a run that fail without a reason", kMostSpurious));
  }
  if (explored.assumptions & kEndsComeAtOnce) {
    list.push_back("threads that end at once behind what they do last");
  }
  if (explored.assumptions & kCallsAreNoSteps) {
    list.push_back(kOrderOfCalls);
  }
  if (explored.assumptions & kMappingsAreApart) {
    list.push_back("no memory at two addresses, or read and written as a file, too");
  }
  if (!result.target.instrumented) list.push_back("programs without data races");
  if (!result.races.empty()) list.push_back("data races that read the newest value");
  if (result.config.points != channel::Points::all) list.push_back("these stop points");
  list.push_back("freed memory not reused at once");
  list.push_back("order of output not explored");
  return list;
}

// "7 of about 38k executions". A failure may be found while the search begins anew: that is one.
std::string so_many(const channel::Exploration& explored) {
  const uint64_t count = std::max<uint64_t>(executions(explored), 1);
  // How many of the runs that are left are different executions is not known.
  if (explored.is_weak && explored.estimate > explored.explored) {
    return fmt::format("{}, {} of {} runs", report::count(count, "execution"),
                       report::thousands(explored.explored), report::about(explored.estimate));
  }
  if (explored.is_weak) return report::count(count, "execution");
  if (explored.estimate <= count) return report::count(count, "execution");
  return fmt::format("{} of {} executions", report::thousands(count),
                     report::about(explored.estimate));
}

std::string how_many(const channel::Exploration& explored, std::string_view bound = "") {
  const uint64_t count = executions(explored);
  return count == 1 ? fmt::format("the only execution{}", bound.empty() ? " there is" : bound)
                    : fmt::format("all {}{}", report::count(count, "execution"), bound);
}

// " with at most 2 preemptions"; empty: there is no bound.
std::string within_bound(const channel::Exploration& explored) {
  if (explored.radius >= 0) {
    return fmt::format(" within {}",
                       report::count(static_cast<uint64_t>(explored.radius), "reversed race"));
  }
  if (explored.bound < 0) return {};
  return fmt::format(" with at most {}",
                     report::count(static_cast<uint64_t>(explored.bound), "preemption"));
}

// "the failure and its 1,240 neighbours are gone: all within 2 reversed races". If the schedule
// cannot be followed any more, nothing is said of the failure.
std::string what_is_gone(const CampaignResult& result) {
  const channel::Exploration& explored = result.totals.exploration;
  const uint64_t count = executions(explored);
  const AroundWhat& around = result.around;
  const std::string within = within_bound(explored);
  if (!around.not_followed.empty() || count == 0) {
    return fmt::format("{}{} of what is left of the recording", report::count(count, "execution"),
                       within);
  }
  const std::string_view what = around.is_failure ? "the failure" : "the recorded execution";
  const std::string_view end = around.is_failure ? "gone" : "fine";
  if (count == 1) return fmt::format("{} is {}: all{}", what, end, within);
  return fmt::format("{} and its {} are {}: all{}", what, report::count(count - 1, "neighbour"),
                     end, within);
}

// What could not be followed of the recording; the failure that it is about.
std::string about_recording(const AroundWhat& around) {
  if (around.not_followed.empty()) {
    return fmt::format("  around {}: {}", report::escape(around.file), around.summary);
  }
  return fmt::format(
      "  the schedule of {} ({}) cannot be followed any more: {}; these are around what is left of "
      "it",
      report::escape(around.file), around.summary, fmt::join(around.not_followed, ", "));
}

// The same of all workers that share a search.
std::string what_workers_miss(const CampaignResult& result) {
  const SearchNotes& notes = result.shared->notes;
  return notes.missing.empty() ? what_is_not_covered(result) : notes.missing.front();
}

std::string why_unfinished(const CampaignResult& result) {
  const std::string why = result.stopped == "interrupted" ? "interrupted"
                          : result.stopped == "time"      ? "the time is over"
                          : result.stopped == "budget"    ? "that is as many as were asked for"
                          : result.stopped == "stopped"   ? "jostle stop has ended it"
                          : result.stopped.empty()        ? ""
                                                          : "the search ended early";
  const std::string open = result.shared ? what_is_open(*result.shared) : "";
  if (why.empty() && open.empty()) return "the search did not begin";
  return why + (why.empty() || open.empty() ? "" : "; ") + open;
}

}  // namespace

SearchNotes search_notes(const CampaignResult& result) {
  SearchNotes notes{{}, what_it_holds_for(result), result.unseen};
  if (std::string missing = what_is_missing(result); !missing.empty()) {
    notes.missing.push_back(std::move(missing));
  }
  return notes;
}

Proof proof_of(const CampaignResult& result) {
  const channel::Exploration& explored = result.totals.exploration;
  Proof proof;
  if (!explored.is_reduced && !result.verifies) return proof;
  const bool fails_as_before = result.regressions_failed != 0;
  if (!result.failures.empty() || result.failed_elsewhere || (fails_as_before && result.verifies)) {
    // `fuzz` has run others beside those that it explored: which of them failed is said elsewhere.
    const uint64_t of_search = explored.explored + explored.redundant;
    const uint64_t runs = result.totals.schedules;
    const bool one_failed =
        result.totals.failing_schedules > (runs > of_search ? runs - of_search : 0);
    if (result.verifies || one_failed) proof.kind = Kind::failed;
    return proof;
  }
  if (fails_as_before) return proof;  // what is known was said, and is none of the failures
  proof.assumptions = result.shared ? result.shared->notes.assumptions : what_it_holds_for(result);
  proof.why = result.shared ? what_workers_miss(result) : what_is_missing(result);
  if (proof.why.empty() && !explored.finished) proof.why = why_unfinished(result);
  // A program has an execution: where there is none, something keeps it from being explored.
  if (proof.why.empty() && explored.blocked != 0 && explored.explored == explored.blocked) {
    proof.why = "all runs ended in loops that wait";
  }
  proof.kind = !proof.why.empty()    ? Kind::incomplete
               : explored.everything ? Kind::verified
                                     : Kind::bounded;
  // A campaign that was not asked for a verdict has other things to say, unless it ended by this.
  const bool ended_by_this = explored.finished && result.stopped == "exhausted";
  if (proof.kind == Kind::incomplete && !result.verifies && !ended_by_this) return {};
  return proof;
}

std::string_view name(Proof::Kind kind) {
  switch (kind) {
    case Kind::none:
      return "";
    case Kind::verified:
      return "verified";
    case Kind::failed:
      return "failed";
    case Kind::bounded:
      return "bounded";
    case Kind::incomplete:
      return "incomplete";
  }
  return "";
}

std::vector<std::string> proof_lines(const CampaignResult& result, const Proof& proof) {
  const channel::Exploration& explored = result.totals.exploration;
  const double seconds =
      std::chrono::duration<double>(result.elapsed + result.elapsed_before).count();
  const std::string bound = within_bound(explored);
  const std::string count = so_many(explored) + bound;
  std::vector<std::string> lines;
  switch (proof.kind) {
    case Kind::none:
      return lines;
    case Kind::failed:
      lines.push_back(fmt::format("FAILED after {} in {:.1f} s", count, seconds));
      return lines;
    case Kind::verified:
      lines.push_back(fmt::format("VERIFIED: {} explored in {:.1f} s, none fails",
                                  how_many(explored), seconds));
      break;
    case Kind::bounded:
      lines.push_back(fmt::format(
          "BOUNDED: {} explored in {:.1f} s, none fails",
          result.around.file.empty() ? how_many(explored, bound) : what_is_gone(result), seconds));
      break;
    case Kind::incomplete:
      lines.push_back(
          fmt::format("INCOMPLETE: {} in {:.1f} s, none fails: {}", count, seconds, proof.why));
      break;
  }
  if (!result.around.file.empty()) lines.push_back(about_recording(result.around));
  std::string counted =
      explored.is_weak
          ? fmt::format(
                "executions that have the same reads and modification orders count once, "
                "met by {}",
                report::count(explored.explored - std::min(explored.blocked, explored.explored),
                              "run"))
          : "executions that differ only in the order of independent operations count once";
  if (explored.blocked != 0) {
    counted += fmt::format("; {} ended in a loop that waits (blocked)",
                           report::count(explored.blocked, "more run"));
  }
  lines.push_back("  " + counted);
  if (result.shared) {
    lines.push_back(fmt::format("  {} by {}: each counts once, whoever explored it",
                                report::count(result.shared->units_closed, "unit"),
                                report::count(result.shared->workers, "worker")));
  }
  if (result.totals.rejected != 0) {
    lines.push_back(fmt::format("  {} of the runs were given up by assume()",
                                report::thousands(result.totals.rejected)));
  }
  if (!proof.assumptions.empty()) {
    lines.push_back(fmt::format("  holds for: {}", fmt::join(proof.assumptions, ", ")));
  }
  const auto& unseen = result.shared ? result.shared->notes.not_seen : result.unseen;
  if (!unseen.empty()) {
    lines.push_back(fmt::format("  not seen: {} (not instrumented)", fmt::join(unseen, ", ")));
  }
  return lines;
}

void add_proof(const CampaignResult& result, report::Json& json) {
  const Proof proof = proof_of(result);
  if (proof.kind == Kind::none) return;
  const channel::Exploration& explored = result.totals.exploration;
  json["verdict"] = name(proof.kind);
  if (!proof.why.empty()) json["verdict_reason"] = proof.why;
  json["memory"] = explored.is_weak ? "c11" : "sc";
  json["executions"] = executions(explored);
  json["runs"] = explored.explored - std::min(explored.blocked, explored.explored);
  json["blocked"] = explored.blocked;
  json["deadlocks"] = explored.deadlocks;
  json["redundant"] = explored.redundant;
  json["estimate"] = explored.estimate;
  json["bound"] = explored.bound >= 0 ? report::Json(explored.bound) : report::Json();
  json["radius"] = explored.radius >= 0 ? report::Json(explored.radius) : report::Json();
  if (!result.around.file.empty()) {
    json["around"] = {{"replay", report::escape(result.around.file)},
                      {"failure", result.around.summary},
                      {"followed", result.around.not_followed.empty()},
                      {"not_followed", result.around.not_followed}};
  }
  json["assumptions"] = proof.assumptions;
  json["not_seen"] = result.shared ? result.shared->notes.not_seen : result.unseen;
  if (!result.shared) return;
  json["units_closed"] = result.shared->units_closed;
  json["units_open"] = result.shared->units_open;
  json["units_leased"] = result.shared->units_leased;
  json["units_damaged"] = result.shared->damaged.size();
  json["search_workers"] = result.shared->workers;
}

}  // namespace jostle::cli
