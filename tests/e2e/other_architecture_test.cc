// SPDX-License-Identifier: Apache-2.0
// The runtime on the processor we are not on, under qemu-user: aarch64 machines test x86-64 and the
// other way round. Skipped, with a message, where the cross compiler, qemu or the cross-built
// library (./dev build x86_64-cross) is missing.
//
// The command itself is not cross-built: this starts the target under qemu with a channel of its
// own, the way the command would.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <filesystem>
#include <set>
#include <string>
#include <vector>

#include "src/cli/target/shared_channel.h"
#include "tests/e2e/support.h"

namespace jostle::test {
namespace {

namespace fs = std::filesystem;

#if defined(__aarch64__)
constexpr char kArchitecture[] = "x86_64";
constexpr char kTriplet[] = "x86_64-linux-gnu";
constexpr char kEmulator[] = "qemu-x86_64";
#else
constexpr char kArchitecture[] = "aarch64";
constexpr char kTriplet[] = "aarch64-linux-gnu";
constexpr char kEmulator[] = "qemu-aarch64";
#endif

std::string triplet() { return kTriplet; }
std::string emulator() { return kEmulator; }
fs::path library_folder() {
  return fs::path(JOSTLE_SOURCE_DIR) / "build" / (std::string(kArchitecture) + "-cross") / "lib";
}

std::string what_is_missing() {
  for (const std::string& tool : {triplet() + "-gcc", triplet() + "-g++", emulator()}) {
    if (run({"bash", "-c", "command -v " + tool}).exit_code != 0) return tool;
  }
  const fs::path library = library_folder() / "libjostle.so";
  return fs::exists(library) ? "" : library.string();
}

const int kSchedules = long_or_short(5, 2);

// Runs a program as the configuration says. Returns how the last run ended.
channel::Failure run_under_emulator(const std::string& program, cli::SharedChannel& shared,
                                    const channel::Config& config) {
  shared->config = config;
  const std::string channel_variable =
      std::string(channel::kDescriptorVariable) + "=" + std::to_string(shared.descriptor());
  const std::string preload = "LD_PRELOAD=" + (library_folder() / "libjostle.so").string();
  const std::string root = "/usr/" + triplet();
  const pid_t pid = fork();
  if (pid == 0) {
    fcntl(shared.descriptor(), F_SETFD, 0);
    const int null = open("/dev/null", O_RDWR);
    dup2(null, 1);
    execlp(emulator().c_str(), emulator().c_str(), "-L", root.c_str(), "-E",
           channel_variable.c_str(), "-E", preload.c_str(), "-E", "JOSTLE_SMALL_RESERVE=1",
           program.c_str(), nullptr);
    _exit(127);
  }
  int status = 0;
  waitpid(pid, &status, 0);
  EXPECT_STREQ(shared->status.note, "") << program;
  channel::Failure end = shared->record.end;
  if (end.outcome == channel::Outcome::running) end.code = status;
  return end;
}

channel::Config config_for(channel::Mode mode) {
  channel::Config config = cli::default_config(mode);
  config.seed = 5;
  config.max_steps = 10'000'000;
  config.run_nanoseconds = 100'000'000'000;
  std::strcpy(config.strategy, "pos");
  return config;
}

// A campaign of a few schedules in one process that is rewound after each. `schedules` is how many
// there were.
channel::Failure fuzz_under_emulator(const std::string& program, uint64_t& schedules) {
  auto shared = cli::create_channel();
  EXPECT_TRUE(shared) << "no channel";
  channel::Config config = config_for(channel::Mode::fuzz);
  config.record = 0;
  config.executor = channel::Executor::snapshot;
  config.max_schedules = kSchedules;
  const channel::Failure end = run_under_emulator(program, *shared, config);
  schedules = (*shared)->status.schedules;
  return end;
}

// C programs are quick to build; of the C++ ones those that depend on the processor: exceptions,
// unwinding, thread-local storage, atomics.
bool is_chosen(const fs::path& source) {
  static const char* const kCxx[] = {"atomics_cxx",        "cancel_unwind",    "cxx_exceptions",
                                     "cxx_thread_local",   "cxx_local_static", "cxx_future",
                                     "thread_exit_nested", "heap_new_delete"};
  const std::string name = source.stem();
  if (source.extension() == ".cc") {
    return std::any_of(std::begin(kCxx), std::end(kCxx), [&](const char* n) { return name == n; });
  }
  return source.extension() == ".c";
}

// What needs kernel features that qemu-user does not emulate faithfully, or too much time there.
bool left_out(const std::string& name) {
  static const char* const kPrefixes[] = {"scale_",     "proc_",     "fd_tcp",
                                          "fd_timerfd", "heap_mmap", "time_long"};
  return std::any_of(std::begin(kPrefixes), std::end(kPrefixes),
                     [&](const char* prefix) { return name.starts_with(prefix); });
}

std::vector<fs::path> chosen_programs() {
  std::vector<fs::path> sources;
  for (const auto& entry :
       fs::directory_iterator(fs::path(JOSTLE_SOURCE_DIR) / "tests/programs/conform")) {
    if (is_chosen(entry.path()) && !left_out(entry.path().stem())) sources.push_back(entry.path());
  }
  std::sort(sources.begin(), sources.end());
  return sources;
}

// "mutex" of mutex_trylock.c: programs of one kind have one beginning.
std::string kind_of(const fs::path& source) {
  const std::string name = source.stem();
  return name.substr(0, name.find('_'));
}

// The first of each kind, and what is special to a processor: unwinding and thread-local storage.
// Several kinds are calls of libc that differ in the model above the hooks only, which is the same
// for every processor: futexes stand for them.
std::vector<fs::path> one_of_each_kind(const std::vector<fs::path>& sources) {
  std::set<std::string> kinds = {"barrier", "c11",    "cancel", "cleanup", "cond",   "crowd",
                                 "fd",      "heap",   "key",    "memory",  "mutex",  "rwlock",
                                 "sem",     "signal", "spin",   "stdio",   "thread", "time"};
  std::vector<fs::path> chosen;
  for (const fs::path& source : sources) {
    const std::string name = source.stem();
    if (kinds.insert(kind_of(source)).second || name == "cancel_unwind" ||
        name == "cxx_thread_local") {
      chosen.push_back(source);
    }
  }
  return chosen;
}

std::string build(const fs::path& source, const TempDir& folder, const std::string& more = "-w") {
  const bool is_c = source.extension() == ".c";
  const std::string output = folder.file(source.stem().string());
  const Result built = run(
      {triplet() + (is_c ? "-gcc" : "-g++"), is_c ? "-std=gnu11" : "-std=c++20", "-g", "-O1",
       "-pthread", more, "-fsanitize=thread", "-L" + (library_folder() / "jostle/tsan").string(),
       "-Wl,-rpath," + library_folder().string(), source.string(), "-latomic", "-o", output});
  EXPECT_EQ(built.exit_code, 0) << built;
  return output;
}

void expect_to_hold(const fs::path& source, const TempDir& folder) {
  const std::string name = source.stem();
  uint64_t schedules = 0;
  const channel::Failure end = fuzz_under_emulator(build(source, folder), schedules);
  EXPECT_EQ(end.outcome, channel::Outcome::exited) << name << ": " << end.message;
  EXPECT_EQ(end.code, 0) << name;
  EXPECT_EQ(schedules, static_cast<uint64_t>(kSchedules)) << name;
}

TEST(OtherArchitecture, ConformancePrograms) {
  if (const std::string missing = what_is_missing(); !missing.empty()) {
    GTEST_SKIP() << missing << " is missing: the runtime is not tested on " << kArchitecture;
  }
  const TempDir folder;
  const std::vector<fs::path> all = chosen_programs();
  EXPECT_GT(all.size(), 70u);
  const bool every_one = long_or_short(1, 0) != 0;
  for (const fs::path& source : every_one ? all : one_of_each_kind(all)) {
    expect_to_hold(source, folder);
  }
}

// On x86-64 libgomp makes system calls by instructions of its own.
TEST(OtherArchitecture, OpenMpIsControlled) {
  if (const std::string missing = what_is_missing(); !missing.empty()) {
    GTEST_SKIP() << missing << " is missing: the runtime is not tested on " << kArchitecture;
  }
  const TempDir folder;
  const fs::path source =
      fs::path(JOSTLE_SOURCE_DIR) / "tests/programs/bugs/openmp_lost_update_ok.cc";
  uint64_t schedules = 0;
  const channel::Failure end = fuzz_under_emulator(build(source, folder, "-fopenmp"), schedules);
  EXPECT_EQ(end.outcome, channel::Outcome::exited) << end.message;
  EXPECT_EQ(schedules, static_cast<uint64_t>(kSchedules));
}

// Stacks and values are read by instructions and with registers of the processor.
TEST(OtherArchitecture, ARunIsRecorded) {
  if (const std::string missing = what_is_missing(); !missing.empty()) {
    GTEST_SKIP() << missing << " is missing: the runtime is not tested on " << kArchitecture;
  }
  const TempDir folder;
  const std::string bug = fs::path(JOSTLE_SOURCE_DIR) / "tests/programs/bugs/lost_update.cc";
  auto shared = cli::create_channel();
  ASSERT_TRUE(shared);
  channel::Config config = config_for(channel::Mode::run);
  config.record = 1;
  const channel::Failure end = run_under_emulator(build(bug, folder), *shared, config);
  EXPECT_NE(end.outcome, channel::Outcome::running) << end.code;
  EXPECT_NE(end.outcome, channel::Outcome::signalled) << end.message;
  const channel::RunRecord& run = (*shared)->record;
  EXPECT_GT(run.trace_count, 10u);
  EXPECT_GT(run.first_stacks[1].depth, 0u);
}

}  // namespace
}  // namespace jostle::test
