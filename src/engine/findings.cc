// SPDX-License-Identifier: Apache-2.0
#include "src/engine/findings.h"

#include <string.h>

#include "src/base/check.h"
#include "src/base/hash.h"
#include "src/base/normal_text.h"
#include "src/runtime/hook/hook.h"
#include "src/runtime/modules/modules.h"
#include "src/schedule/starvation.h"

namespace jostle::engine {
namespace {

// So often a race is looked for, which makes four schedules that have it.
constexpr uint64_t kTimesPerRace = 8;

uint64_t signature_of_race(uint64_t key) { return combine(23, key); }

// Where it is and how the program came there. A few calls are enough, and more would make one
// failure many; a function that calls itself counts once.
uint64_t place_of(const channel::Stack& stack) {
  constexpr uint32_t kMostCalls = 5;
  uint64_t hash = 0;
  channel::CodeLocation last = 0;
  for (uint32_t i = 0, calls = 0; i < stack.depth && calls < kMostCalls; ++i) {
    const channel::CodeLocation place = rt::code_location(stack.pc[i]);
    if (place == last) continue;
    hash = combine(hash, place);
    last = place;
    ++calls;
  }
  return hash;
}

uint64_t hash_of(const char (&message)[sizeof channel::Failure::message]) {
  char text[sizeof message];
  return fnv1a(text, normalise(message, strnlen(message, sizeof message), text));
}

}  // namespace

uint64_t signature_of(const channel::RunRecord& run) {
  const channel::Failure& end = run.end;
  uint64_t hash = combine(1, static_cast<uint64_t>(end.outcome));
  hash = combine(hash, static_cast<uint64_t>(static_cast<uint32_t>(end.code)));
  switch (end.outcome) {
    case channel::Outcome::deadlock:
    case channel::Outcome::livelock: {
      if (channel::is_starvation(end)) {
        const uint64_t place = end.stack.depth ? rt::code_location(end.stack.pc[0]) : 0;
        return combine(combine(1, static_cast<uint64_t>(end.outcome)), place);
      }
      // Commutative: which thread got stuck first does not matter.
      uint64_t sum = 0;
      for (uint32_t i = 0; i < run.report_count; ++i) {
        sum += combine(static_cast<uint64_t>(run.reports[i].pending.kind),
                       rt::code_location(run.reports[i].pending.pc));
      }
      return combine(hash, sum);
    }
    case channel::Outcome::assertion:
      hash = combine(hash, fnv1a(end.file, strlen(end.file)));
      return combine(combine(hash, end.line), place_of(end.stack));
    case channel::Outcome::race:
      return signature_of_race(channel::race_key(end.race[0], end.race[1]));
    case channel::Outcome::step_limit:
    case channel::Outcome::timed_out:
      return hash;
    case channel::Outcome::exited:
      return hash;
    default:
      return combine(combine(hash, hash_of(end.message)), place_of(end.stack));
  }
}

uint64_t essence_of(const channel::RunRecord& run) {
  // A broken promise of progress is the same failure, wherever which thread was stopped.
  if (run.end.outcome == channel::Outcome::history && run.end.code != 0) {
    return combine(static_cast<uint64_t>(run.end.outcome), static_cast<uint64_t>(run.end.code));
  }
  if (run.end.outcome != channel::Outcome::deadlock) return signature_of(run);
  bool has_cycle = false;
  for (uint32_t i = 0; i < run.report_count; ++i) has_cycle |= run.reports[i].in_cycle != 0;
  // A set, and joins are nobody's fault: who waits for a thread that waits does so in any case.
  constexpr uint32_t kMost = 64;
  uint64_t places[kMost];
  uint32_t count = 0;
  uint64_t sum = 0;
  for (uint32_t i = 0; i < run.report_count && count < kMost; ++i) {
    const channel::ThreadReport& report = run.reports[i];
    if (has_cycle ? !report.in_cycle : report.pending.kind == OpKind::thread_join) continue;
    const uint64_t place =
        combine(static_cast<uint64_t>(report.pending.kind), rt::code_location(report.pending.pc));
    bool known = false;
    for (uint32_t k = 0; k < count; ++k) known |= places[k] == place;
    if (known) continue;
    places[count++] = place;
    sum += place;
  }
  return combine(has_cycle, sum);
}

void Findings::add(channel::Channel& channel, uint64_t schedule_number) {
  const uint64_t signature = signature_of(channel.record);
  // An exit status hides what failed.
  const bool dense = channel.record.end.outcome == channel::Outcome::exited;
  if (!tally_.count(signature).is_due(dense)) return;
  inputs_.keep(schedule_number);
  append_finding(channel, schedule_number, signature, channel.record.end,
                 channel::FindingRole::failure);
}

bool Findings::note(channel::Channel& channel, uint64_t schedule_number,
                    const channel::RaceRecord& race) {
  channel::Failure end{};
  end.outcome = channel::Outcome::race;
  end.thread = race.later.thread;
  end.address = race.address;
  end.race[0] = race.places[0];
  end.race[1] = race.places[1];
  end.stack.depth = 1;
  end.stack.pc[0] = race.later.pc;
  memcpy(end.message, "data race", sizeof "data race");
  const uint64_t signature = signature_of_race(race.key);
  const FailureTally::Seen seen = tally_.count(signature);
  if (seen.is_due()) {
    inputs_.keep(schedule_number);
    append_finding(channel, schedule_number, signature, end, channel::FindingRole::noted);
  }
  return seen.times >= kTimesPerRace;
}

bool append_finding(channel::Channel& channel, uint64_t schedule_number, uint64_t signature,
                    const channel::Failure& end, channel::FindingRole role) {
  const channel::RunRecord& run = channel.record;
  const channel::Schedule& schedule = run.schedule;
  JOSTLE_CHECK_LE(schedule.thread_count, channel::kMaxThreads);
  JOSTLE_CHECK_LE(schedule.segment_count, channel::kMaxSegments);
  JOSTLE_CHECK_LE(schedule.choice_count, channel::kMaxChoices);
  const uint64_t threads = schedule.thread_count * sizeof(channel::ThreadRecord);
  const uint64_t segments = schedule.segment_count * sizeof(channel::Segment);
  const uint64_t choices = schedule.choice_count * sizeof(channel::Choice);
  const uint64_t draws = run.draws.count * sizeof(channel::Draw);
  const uint64_t bytes =
      (sizeof(channel::FindingHeader) + threads + segments + choices + draws + 15) & ~uint64_t{15};
  const uint64_t used = channel.status.findings_bytes.load();
  if (used + bytes > channel::kFindingBytes) return false;  // a gigabyte: enough is enough

  unsigned char* to = channel.finding_bytes + used;
  auto* header = reinterpret_cast<channel::FindingHeader*>(to);
  *header = {};
  header->bytes = bytes;
  header->schedule_number = schedule_number;
  header->signature = signature;
  header->seed = schedule.seed;
  header->digest = schedule.digest;
  header->thread_count = schedule.thread_count;
  header->segment_count = schedule.segment_count;
  header->choice_count = schedule.choice_count;
  header->draw_count = run.draws.count;
  header->role = role;
  header->memory = schedule.memory;
  memcpy(header->strategy, run.strategy, sizeof run.strategy);
  header->end = end;
  to += sizeof *header;
  memcpy(to, schedule.threads, threads);
  memcpy(to + threads, schedule.segments, segments);
  memcpy(to + threads + segments, schedule.choices, choices);
  memcpy(to + threads + segments + choices, run.draws.list, draws);
  JOSTLE_CHECK_EQ(used % 16, 0);
  channel.status.findings_bytes.store(used + bytes);
  if (role == channel::FindingRole::noted) channel.status.noted_findings.fetch_add(1);
  channel.status.findings.fetch_add(1, std::memory_order_release);
  return true;
}

}  // namespace jostle::engine
