// SPDX-License-Identifier: Apache-2.0
#include "src/report/model/switch_places.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <link.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>

#include "src/cli/target/shared_channel.h"

// Places in the code, found again by their addresses in this very test program.
namespace switch_places_test {
int value;
__attribute__((noinline)) void first() { value += 1; }
__attribute__((noinline)) void second() { value += 2; }
__attribute__((noinline)) void third() { value += 3; }
__attribute__((noinline)) void fourth() { value += 4; }
__attribute__((noinline)) void fifth() { value += 5; }
__attribute__((noinline)) void sixth() { value += 6; }
__attribute__((noinline)) void newcomer() { value += 7; }
}  // namespace switch_places_test

namespace jostle::report {
namespace {

using Function = void (*)();
constexpr Function kFunctions[] = {switch_places_test::first, switch_places_test::second,
                                   switch_places_test::third, switch_places_test::fourth,
                                   switch_places_test::fifth, switch_places_test::sixth};
constexpr uint32_t kThread = 1;

channel::ModuleRecord this_program() {
  channel::ModuleRecord record{};
  if (readlink("/proc/self/exe", record.path, sizeof record.path - 1) < 0) abort();
  dl_iterate_phdr(
      [](dl_phdr_info* info, size_t, void* argument) {
        auto& out = *static_cast<channel::ModuleRecord*>(argument);
        out.bias = info->dlpi_addr;
        out.begin = UINTPTR_MAX;
        for (int i = 0; i < info->dlpi_phnum; ++i) {
          const auto& header = info->dlpi_phdr[i];
          if (header.p_type != PT_LOAD) continue;
          out.begin = std::min<uintptr_t>(out.begin, info->dlpi_addr + header.p_vaddr);
          out.end = std::max<uintptr_t>(out.end, info->dlpi_addr + header.p_vaddr + header.p_memsz);
        }
        return 1;  // the program itself comes first
      },
      &record);
  return record;
}

// The trace of a run of which only one thread matters.
class RunOfThread {
 public:
  // Gives the number of the event.
  uint64_t does(OpKind kind, Function in) {
    channel::TraceEvent& event = record().trace[record().trace_count++];
    event.thread = kThread;
    event.kind = kind;
    event.event = ++events_;
    event.pc = reinterpret_cast<uintptr_t>(in) + 1;  // behind its first instruction
    return events_;
  }
  SwitchName name_of(OpKind kind, uint64_t event) {
    const channel::Segment segment{kThread, kind, channel::kPreempted, 0, event, 0};
    return name_switches({&segment, 1}, record(), symbols_).front();
  }
  std::optional<uint64_t> find(OpKind kind, const SwitchName& name, uint64_t near = 0,
                               uint64_t after = 0) {
    return SwitchPlaces(record(), symbols_).find(kThread, kind, name, near, after);
  }

 private:
  channel::RunRecord& record() { return channel_->record; }

  cli::SharedChannel channel_ = std::move(*cli::create_channel());
  channel::ModuleRecord module_ = this_program();
  Symbolizer symbols_{{&module_, 1}};
  uint64_t events_ = 0;
};

constexpr OpKind kKinds[] = {OpKind::read, OpKind::write, OpKind::mutex_lock};

void do_everything(RunOfThread& run) {
  for (int round = 0; round < 3; ++round) {
    for (const Function function : kFunctions) {
      for (const OpKind kind : kKinds) run.does(kind, function);
    }
  }
}

TEST(SwitchPlaces, EveryEventIsFoundByItsNameInAnotherBuild) {
  RunOfThread before, after;
  do_everything(before);
  constexpr uint64_t kMore = 7;
  for (uint64_t i = 0; i < kMore; ++i) after.does(OpKind::write, switch_places_test::newcomer);
  do_everything(after);
  for (uint64_t event = 1; event <= 3 * std::size(kFunctions) * std::size(kKinds); ++event) {
    const OpKind kind = kKinds[(event - 1) % std::size(kKinds)];
    const SwitchName name = before.name_of(kind, event);
    EXPECT_EQ(name.nth, (event - 1) / (std::size(kFunctions) * std::size(kKinds)) + 1);
    EXPECT_EQ(after.find(kind, name, event), event + kMore) << name.function << " " << name.nth;
  }
}

TEST(SwitchPlaces, WhereTheCodeWasEditedTheNearestOneInTheFunctionHasToDo) {
  RunOfThread run;
  run.does(OpKind::read, switch_places_test::newcomer);
  const uint64_t early = run.does(OpKind::read, switch_places_test::first);
  run.does(OpKind::read, switch_places_test::second);
  const uint64_t late = run.does(OpKind::read, switch_places_test::first);
  SwitchName name = run.name_of(OpKind::read, early);
  EXPECT_EQ(name.function, "switch_places_test::first");
  // Another kind of operation, fewer of them, another line.
  EXPECT_EQ(run.find(OpKind::write, name, late), late);
  EXPECT_EQ(run.find(OpKind::write, name, early), early);
  name.nth = 5;
  EXPECT_EQ(run.find(OpKind::read, name, 100), late);
  name.line = "it was another one;";
  EXPECT_EQ(run.find(OpKind::read, name, 0), early);
  // Threads do not go back.
  EXPECT_EQ(run.find(OpKind::read, name, 0, early), late);
  EXPECT_EQ(run.find(OpKind::read, name, 0, late), std::nullopt);
}

TEST(SwitchPlaces, AFunctionThatIsNotEnteredIsNotFound) {
  RunOfThread before, after;
  const uint64_t event = before.does(OpKind::read, switch_places_test::first);
  after.does(OpKind::read, switch_places_test::second);
  EXPECT_EQ(after.find(OpKind::read, before.name_of(OpKind::read, event), event), std::nullopt);
}

TEST(SwitchPlaces, OnlyPreemptionsAndPlacesThatAreKnownHaveNames) {
  RunOfThread run;
  run.does(OpKind::read, switch_places_test::first);
  EXPECT_FALSE(run.name_of(OpKind::read, 17).known());
}

}  // namespace
}  // namespace jostle::report
