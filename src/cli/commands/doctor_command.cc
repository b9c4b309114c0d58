// SPDX-License-Identifier: Apache-2.0
// `jostle doctor`: what of a program is under control, and what is not.
#include <fcntl.h>
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

#include "src/base/atomic_instructions.h"
#include "src/cli/commands/commands.h"
#include "src/cli/options/command_line.h"
#include "src/cli/runs/many_runs.h"
#include "src/cli/runs/trace_compare.h"
#include "src/cli/runs/uncontrolled.h"
#include "src/cli/target/execution.h"
#include "src/report/model/failure_kinds.h"
#include "src/report/model/names/names.h"
#include "src/report/symbols/assembly_atomics.h"
#include "src/report/symbols/assertions.h"
#include "src/report/symbols/symbolizer.h"
#include "src/report/words/record_view.h"
#include "src/report/words/text.h"

namespace jostle::cli {
namespace {

constexpr char kDoctorExamples[] =
    "  jostle doctor ./bank\n"
    "  jostle doctor -- ./server --port 0\n"
    "exit codes: 0 all is well, 1 something is not; all: docs/exit-codes.md";

constexpr uint64_t kSeeds = 10;
constexpr uint64_t kSeedsOfLongRuns = 2;

struct DoctorOptions {
  channel::Config config = default_config(channel::Mode::run);
  std::vector<std::string> program;
};

std::optional<int> parse_options(const std::vector<std::string>& words, DoctorOptions& options) {
  options.config.max_steps = kDefaultSteps;
  options.config.run_nanoseconds = kDefaultRunNanoseconds;
  CommandLine line("jostle doctor", "[options] [--] program [arguments]",
                   "Runs the program a few times and says what of it can be controlled.",
                   kDoctorExamples);
  line.schedule_options(options.config);
  if (const auto done = line.parse(words)) return done;
  if (line.rest().empty()) {
    return fail({Exit::usage, "no program given: jostle doctor -- program [arguments]"});
  }
  options.program = line.rest();
  return std::nullopt;
}

// Prints findings line by line and remembers whether one of them was bad.
class Examination {
 public:
  void good(std::string_view what, const std::string& text) { print(what, text); }
  void bad(std::string_view what, const std::string& text) {
    print(what, text);
    well_ = false;
  }
  bool well() const { return well_; }

 private:
  static void print(std::string_view what, const std::string& text) {
    constexpr size_t kLabel = 18;
    fmt::print("{}{}\n", report::pad(what, kLabel), text);
    std::fflush(stdout);
  }
  bool well_ = true;
};

void examine_modules(const channel::Channel& channel, Examination& examination) {
  report::Symbolizer symbols(report::modules(channel));
  std::vector<std::string> instrumented, others, system, without_lines, idle;
  for (const report::Module& module : symbols.modules()) {
    const std::string name = report::escape(report::base_name(module.path));
    if (report::is_own_library(module.path) || name.starts_with("linux-vdso")) continue;
    if (module.idle_atomics) idle.push_back(name);
    if (report::is_system_library(module.path) || report::is_openmp_library(module.path)) {
      system.push_back(name);
      continue;
    }
    (module.instrumented ? instrumented : others).push_back(name);
    if (!symbols.has_debug_info(module)) without_lines.push_back(name);
  }
  for (const report::Module& module : symbols.modules()) {
    if (!module.instrumented) continue;
    const report::LostAssertions lost = report::lost_assertions(module.path);
    if (lost.count != 0) examination.bad("assertions", report::describe(lost));
    if (module.idle_atomics) continue;
    const auto functions = report::functions_with_assembly_atomics(module.path);
    if (!functions.empty()) {
      examination.bad("atomics unseen", report::describe_assembly_atomics(functions));
    } else if (report::has_assembly_atomics(module.path)) {
      examination.bad("atomics unseen",
                      report::describe_possible_atomics(report::base_name(module.path)));
    }
  }
  if (!instrumented.empty()) {
    examination.good("instrumented", fmt::format("{}", fmt::join(instrumented, ", ")));
  }
  if (!others.empty()) {
    examination.bad("not instrumented",
                    fmt::format("{} (memory accesses invisible: rebuild with `jostle c++`)",
                                fmt::join(others, ", ")));
  }
  if (const auto unseen = report::libraries_with_unseen_order(symbols); !unseen.empty()) {
    examination.bad("orders unseen",
                    report::describe_unseen_order(unseen) +
                        ": only accesses that two threads are about to make at the same time "
                        "are races, and weak memory is explored only with --memory=c11 (rebuild it "
                        "with `jostle c++`)");
  }
  if (!idle.empty()) {
    examination.good("orders unseen",
                     fmt::format("none: atomics of {} did not run", fmt::join(idle, ", ")));
  }
  if (!system.empty()) {
    examination.good("system libraries",
                     fmt::format("{} (calls controlled)", fmt::join(system, ", ")));
  }
  if (without_lines.empty()) {
    examination.good("debug information", "yes");
  } else {
    examination.bad("debug information",
                    fmt::format("none in {}: compile with -g to see source lines",
                                fmt::join(without_lines, ", ")));
  }
}

void examine_control(uint64_t bits, Examination& examination) {
  if ((bits & channel::kNotRandomised) == 0) examination.good("addresses", "the same in every run");
  const auto lines = describe_uncontrolled(bits);
  if (lines.empty()) examination.good("uncontrolled", "nothing");
  for (size_t i = 0; i < lines.size(); ++i) {
    examination.bad(i == 0 ? "uncontrolled" : "", std::string(lines[i]));
  }
}

bool was_cut_off(const Execution& run) {
  const channel::Outcome end = run.record().end.outcome;
  return end == channel::Outcome::timed_out || end == channel::Outcome::cut_off;
}

// "main at server.c:14, T1 serve at server.c:8": where a run was when its time was over.
std::string where_it_is(const Execution& run) {
  constexpr size_t kMostThreads = 3;
  report::Symbolizer symbols(report::modules(*run.channel));
  report::Names names(run.record(), symbols);
  std::vector<std::string> places;
  for (const channel::ThreadReport& thread : report::reports(run.record())) {
    if (thread.state == channel::ThreadState::finished || places.size() == kMostThreads) continue;
    const report::Frame frame = symbols.line_that_matters(thread.stack);
    places.push_back(fmt::format("{} at {}", names.title(thread.thread), report::source(frame)));
  }
  return fmt::format("{}", fmt::join(places, ", "));
}

class Doctor {
 public:
  Doctor(DoctorOptions options, ManyRuns ready)
      : options_(std::move(options)),
        ready_(std::move(ready)),
        null_(open("/dev/null", O_RDWR | O_CLOEXEC)) {}

  int run();

 private:
  Result<Execution> once(uint64_t seed);
  MaybeError compare_runs();
  void note_end(const Execution& run);
  std::string ways_to_fail() const;
  void say_how_runs_end();
  void note_shared(const channel::Channel& channel);
  void say_who_reads_counter();
  void say_what_is_shared();
  bool runs_are_long() const { return longest_ > channel::kLongRun; }

  DoctorOptions options_;
  ManyRuns ready_;
  Descriptor null_;
  Examination examination_;
  uint64_t uncontrolled_ = 0;
  std::string note_;
  std::string difference_;
  uint64_t different_seed_ = 0;
  uint64_t compared_ = 0;
  uint64_t longest_ = 0;                                  // events of a run
  std::map<std::string, uint64_t> failures_ = {};         // how they ended, and how many of them
  uint32_t port_ = 0;                                     // that runs ask for by its number
  std::set<std::string> put_back_ = {};                   // files that runs change
  std::map<std::string, std::string> not_put_back_ = {};  // … and why
  std::string early_end_;                                 // how it ended before main
  std::string endless_;                                   // where a run was when its time was over
};

void Doctor::note_end(const Execution& run) {
  const channel::Failure& end = run.record().end;
  if (was_cut_off(run)) {
    endless_ = where_it_is(run);
    if (endless_.empty()) endless_ = "somewhere";
  } else if (report::is_failure(end, options_.config.any_exit_code_ok == 0)) {
    ++failures_[report::summary(end)];
  }
}

// What runs share with each other and with workers beside them.
void Doctor::note_shared(const channel::Channel& channel) {
  if (const uint32_t port = channel.status.fixed_port) port_ = port;
  const channel::FileJournal& files = channel.files;
  const uint32_t count = std::min<uint32_t>(files.count, channel::kMaxFiles);
  for (uint32_t i = 0; i < count; ++i) {
    const channel::FileRecord& record = files.records[i];
    if (record.kind == channel::FileKind::other) continue;
    const std::string path(report::bounded(record.path));
    if (record.left_alone[0] != '\0') {
      not_put_back_[path] = std::string(report::bounded(record.left_alone));
    } else {
      put_back_.insert(path);
    }
  }
}

void Doctor::say_what_is_shared() {
  constexpr size_t kMostNamed = 3;
  if (port_ != 0) {
    examination_.good("port", fmt::format("{}: only one run at a time can have it (with -j workers "
                                          "take turns; 0, any, would let them run side by side)",
                                          port_));
  }
  if (!put_back_.empty()) {
    std::vector<std::string> names;
    for (const std::string& path : put_back_) {
      if (names.size() < kMostNamed) names.push_back(report::escape(path));
    }
    if (put_back_.size() > names.size()) {
      names.push_back(fmt::format("{} others", put_back_.size() - names.size()));
    }
    examination_.good("files", fmt::format("{}: put back after every run (not with -j, where "
                                           "workers use them together)",
                                           fmt::join(names, ", ")));
  }
  for (const auto& [path, why] : not_put_back_) {
    examination_.bad("files", fmt::format("{}: not put back after a run: {}", report::escape(path),
                                          report::escape(why)));
  }
}

// The most frequent ones; their numbers if there are several.
std::string Doctor::ways_to_fail() const {
  constexpr size_t kMostNamed = 3;
  std::vector<std::pair<uint64_t, std::string>> ways;
  for (const auto& [way, count] : failures_) ways.emplace_back(count, way);
  std::stable_sort(ways.begin(), ways.end(),
                   [](const auto& a, const auto& b) { return a.first > b.first; });
  if (ways.size() == 1) return ways[0].second;
  std::vector<std::string> texts;
  for (const auto& [count, way] : ways) {
    if (texts.size() < kMostNamed) texts.push_back(fmt::format("{} ({} of them)", way, count));
  }
  if (ways.size() > kMostNamed) texts.push_back("others");
  return fmt::format("{}", fmt::join(texts, ", "));
}

void Doctor::say_how_runs_end() {
  if (!early_end_.empty()) {
    examination_.bad("ends", fmt::format("before main: {}: runs begin there, and what constructors "
                                         "and their threads do before is not searched",
                                         early_end_));
  } else if (!endless_.empty()) {
    examination_.bad(
        "ends", fmt::format("not within {} s: {} (longer: --timeout; a server needs an end, or its "
                            "clients in the same process)",
                            options_.config.run_nanoseconds / 1'000'000'000, endless_));
  } else if (!failures_.empty()) {
    uint64_t failed = 0;
    for (const auto& [way, count] : failures_) failed += count;
    examination_.good("ends",
                      fmt::format("{} of {} fail: {} (that is what `jostle fuzz` reports)", failed,
                                  report::count(compared_, "schedule"), ways_to_fail()));
  } else {
    examination_.good("ends", "by itself, without a failure");
  }
}

Result<Execution> Doctor::once(uint64_t seed) {
  Descriptor again = reopen(ready_.input.file.get());
  LaunchPlan plan{ready_.target.path, options_.program};
  plan.in = again.get();
  plan.out = plan.err = null_.get();
  plan.own_group = true;
  channel::Config config = options_.config;
  config.seed = seed;
  config.file_care = channel::FileCare::restore;  // the second run finds what the first one found
  return execute(plan, config, nullptr, ready_.installation);
}

MaybeError Doctor::compare_runs() {
  for (uint64_t seed = 1; seed <= (runs_are_long() ? kSeedsOfLongRuns : kSeeds); ++seed) {
    Result<Execution> first = once(seed);
    if (!first) return first.error();
    if (first->interrupted) return Error{Exit::interrupted, "interrupted"};
    if (first->channel->status.phase == channel::Phase::starting) {
      examine_modules(*first->channel, examination_);
      early_end_ = report::summary(first->record().end);
      return std::nullopt;
    }
    if (was_cut_off(*first)) {
      // It will not end the second time either.
      uncontrolled_ |= first->channel->status.uncontrolled;
      examine_modules(*first->channel, examination_);
      note_end(*first);
      return std::nullopt;
    }
    Result<Execution> second = once(seed);
    if (!second) return second.error();
    if (second->interrupted) return Error{Exit::interrupted, "interrupted"};
    const channel::Failure& end = first->record().end;
    if (end.outcome == channel::Outcome::unsupported) {
      return Error{Exit::unsupported, report::summary(end)};
    }
    uncontrolled_ |= first->channel->status.uncontrolled | second->channel->status.uncontrolled;
    note_ = report::bounded(first->channel->status.note);
    if (seed == 1) examine_modules(*first->channel, examination_);
    note_shared(*first->channel);
    note_end(*first);
    if (const auto difference = first_difference(*first->channel, *second->channel)) {
      difference_ = *difference;
      different_seed_ = seed;
      return std::nullopt;
    }
    longest_ = std::max(longest_, first->record().events);
    compared_ = seed;
  }
  return std::nullopt;
}

void Doctor::say_who_reads_counter() {
  if (kThisProcessor == Processor::x86_64) return;  // time is virtual there, too
  const auto functions = report::functions_that_read_counter(ready_.target.path);
  if (functions.empty()) return;
  examination_.bad("real time", fmt::format("in {}: inline assembly reads the processor's counter "
                                            "(rdtsc, cntvct_el0), which is not controlled",
                                            report::escape(functions.front())));
}

int Doctor::run() {
  if (const MaybeError error = compare_runs()) return fail(*error);
  say_how_runs_end();
  if (!endless_.empty() || !early_end_.empty()) {
    examine_control(uncontrolled_, examination_);
    return static_cast<int>(Exit::not_well);
  }
  if (difference_.empty()) {
    examination_.good("deterministic",
                      fmt::format("yes: {} schedules run twice, traces equal", compared_));
  } else {
    examination_.bad("deterministic", fmt::format("no: two runs of schedule {} differ {}",
                                                  different_seed_, difference_));
    say_who_reads_counter();
  }
  if (runs_are_long()) {
    examination_.good(
        "run length",
        fmt::format(
            "{} M events: long. `fuzz` decides about every operation in a part of each run, "
            "elsewhere about few",
            report::thousands(longest_ / 1'000'000)));
  }
  say_what_is_shared();
  // Most programs that ask for their process id do nothing with it that a schedule could show.
  if (difference_.empty()) uncontrolled_ = matters_always(uncontrolled_);
  examine_control(uncontrolled_, examination_);
  if (!note_.empty()) examination_.bad("note", report::escape(note_));
  return static_cast<int>(examination_.well() ? Exit::ok : Exit::not_well);
}

}  // namespace

int doctor_command(const std::vector<std::string>& words) {
  DoctorOptions options;
  if (const auto done = parse_options(words, options)) return *done;
  Result<ManyRuns> ready = prepare_many_runs(options.program[0]);
  if (!ready) return fail(ready.error());
  return Doctor(std::move(options), std::move(*ready)).run();
}

}  // namespace jostle::cli
