// SPDX-License-Identifier: Apache-2.0
// Bad input of every kind: one clear line, a distinct exit code, nothing half-written.
#include <elf.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>

#include "tests/e2e/small_programs.h"

namespace jostle::test {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::StartsWith;

class BadInput : public testing::Test {
 protected:
  // One line on stderr, nothing on stdout, this exit code, no output folder.
  void expect_refused(std::vector<std::string> args, int code, const std::string& says) {
    const Result result = jostle(args, {.cwd = folder_.path()});
    EXPECT_EQ(result.exit_code, code) << result;
    EXPECT_THAT(result.out, IsEmpty());
    EXPECT_THAT(result.err, StartsWith("jostle: ")) << result;
    EXPECT_THAT(result.err, HasSubstr(says));
    EXPECT_EQ(std::count(result.err.begin(), result.err.end(), '\n'), 1) << result;
    EXPECT_FALSE(fs::exists(folder_.path() / "jostle-out"));
  }

  void expect_program_refused(const std::string& program, int code, const std::string& says) {
    for (const char* command : {"run", "fuzz", "doctor"}) {
      expect_refused({command, "--", program}, code, says);
    }
  }

  TempDir folder_;
};

TEST_F(BadInput, CommandsAndOptions) {
  expect_refused({}, 2, "no command given");
  expect_refused({"fzz", "./x"}, 2, "unknown command fzz: did you mean fuzz?");
  expect_refused({"--verison"}, 2, "did you mean --version?");
  expect_refused({"fuzz"}, 2, "no program given");
  expect_refused({"run", "--"}, 2, "no program given");
  expect_refused({"fuzz", "--schedule", "5", "x"}, 2, "did you mean --schedules?");
  expect_refused({"fuzz", "--completely-unknown", "x"}, 2, "see jostle fuzz --help");
  expect_refused({"fuzz", "-z", "x"}, 2, "unknown option -z");
  expect_refused({"fuzz", "--time"}, 2, "--time needs a value");
  expect_refused({"fuzz", "--time", "soon", "x"}, 2, "expected a duration like 30s");
  expect_refused({"fuzz", "--schedules", "-5", "x"}, 2, "expected a whole number");
  expect_refused({"fuzz", "--seed=abc", "x"}, 2, "expected a whole number");
  expect_refused({"fuzz", "--strategy", "ranodm", "x"}, 2, "did you mean random?");
  expect_refused({"fuzz", "--ok-exit", "300", "x"}, 2, "expected exit codes");
  expect_refused({"fuzz", "--quiet=yes", "x"}, 2, "takes no value");
  expect_refused({"replay"}, 2, "no replay file given");
  expect_refused({"replay", "a", "b"}, 2, "one replay file at a time");
  expect_refused({"fuzz", "-n", "0", "/bin/true"}, 2, "expected a number from 1 on");
  expect_refused({"fuzz", "-t", "0", "/bin/true"}, 2, "no time at all");
  expect_refused({"fuzz", "--input", "nodir", program("gcc", "inputs/orders")}, 2,
                 "--input: no folder nodir");
  expect_refused({"replay", "a", "--", "-batch"}, 2, "are for gdb");
  expect_refused({"fuzz", "--resume", "--fresh", "x"}, 2, "--resume and --fresh: choose one");
  expect_refused({"run", "--spurious", "--no-spurious", "x"}, 2, "choose one");
  expect_refused({"strategies", "pct"}, 2, "lists all");
  for (const char* command : {"run", "replay"}) {
    expect_refused({command, "-o", "x.json", "/bin/true"}, 2, "add --format");
  }
}

TEST_F(BadInput, FoldersWhereFilesAreMeant) {
  const std::string orders = program("gcc", "inputs/orders");
  expect_refused({"run", "--suppressions", "/tmp", orders}, 2, "/tmp: Is a directory");
  expect_refused({"run", "--strategy", "bytes", "--from", "/tmp", orders}, 2, "Is a directory");
  expect_refused({"step", "-x", "/tmp", orders}, 2, "/tmp: Is a directory");
}

TEST_F(BadInput, NotAProgram) {
  expect_program_refused("./missing", 3, "no program ./missing");
  expect_program_refused("no-such-command-anywhere", 3, "in PATH");
  expect_program_refused("", 3, "empty");
  expect_program_refused("/tmp", 4, "is a directory");
  expect_program_refused("/dev/null", 4, "is not a program");
  const std::string text = folder_.write("notes.txt", "just text\n");
  expect_program_refused(text, 4, "is not a program");
  const std::string script = folder_.write("run.sh", "#!/bin/sh\nexit 0\n");
  chmod(script.c_str(), 0755);
  expect_program_refused(script, 4, "is a script for /bin/sh");
}

TEST_F(BadInput, NamesWithoutASlashComeFromPath) {
  const std::string program = build(folder_, "here", kMany);
  expect_refused({"run", "here"}, 3, "did you mean ./here?");
  const Result found = jostle({"run", "here", "exit", "4"}, {.env = {{"PATH", folder_.path()}}});
  EXPECT_EQ(found.exit_code, 4) << found;
}

TEST_F(BadInput, ProgramsThatCannotBeControlled) {
  const std::string program = build(folder_, "many", kMany);
  const std::string copy = folder_.file("copy");
  fs::copy_file(program, copy);
  chmod(copy.c_str(), 0644);
  expect_program_refused(copy, 5, "is not executable: chmod +x");
  chmod(copy.c_str(), 04755);
  expect_program_refused(copy, 8, "is set-uid");
  chmod(copy.c_str(), 02755);
  expect_program_refused(copy, 8, "is set-gid");

  std::string bytes = read_file(program);
  reinterpret_cast<Elf64_Ehdr*>(bytes.data())->e_machine = EM_RISCV;
  const std::string foreign = folder_.write("foreign", bytes);
  chmod(foreign.c_str(), 0755);
  expect_program_refused(foreign, 6, "is a program for riscv");

  const std::string source = folder_.file("many.c");
  const std::string object = folder_.file("many.o");
  ASSERT_TRUE(run({"gcc", "-c", source, "-o", object}).ok());
  expect_program_refused(object, 4, "is an object file");
  const std::string library = folder_.file("libmany.so");
  ASSERT_TRUE(run({"gcc", "-shared", "-fPIC", source, "-o", library}).ok());
  expect_program_refused(library, 4, "is a shared library");
  for (const char* flag : {"-static", "-static-pie"}) {
    const std::string fixed = folder_.file("static");
    if (!run({"gcc", flag, "-pthread", source, "-o", fixed}).ok()) continue;  // no static libc
    expect_program_refused(fixed, 7, "is statically linked");
  }
}

TEST_F(BadInput, ProgramsWithAnotherRuntimeInside) {
  const std::string source = folder_.write("many.c", kMany);
  const std::string clang = folder_.file("clang_tsan");
  if (run({"clang", "-fsanitize=thread", source, "-o", clang}).ok()) {
    expect_program_refused(clang, 9, "rebuild with JOSTLE_CXX=clang++ jostle c++");
  }
  const std::string address = folder_.file("asan");
  if (run({"gcc", "-fsanitize=address", source, "-o", address}).ok()) {
    expect_program_refused(address, 9, "-fsanitize=address");
  }
}

TEST_F(BadInput, OutputThatCannotBeWritten) {
  const std::string program = build(folder_, "many", kMany);
  folder_.write("file", "in the way");
  expect_refused({"fuzz", "-o", "file", program}, 10, "cannot write file/many");
  expect_refused({"fuzz", "-o", "/proc/nothing", program}, 10, "cannot write /proc/nothing/many");
  expect_refused({"run", "--save", "/nowhere/r.json", program}, 10, "cannot write /nowhere/r.json");
  expect_refused({"run", "--save", ".", program}, 10, "cannot write .");
  if (geteuid() != 0) {  // root may write everywhere
    fs::create_directory(folder_.path() / "locked");
    fs::permissions(folder_.path() / "locked", fs::perms::owner_read | fs::perms::owner_exec);
    expect_refused({"fuzz", "-o", "locked", program}, 10, "cannot write locked");
  }
}

TEST_F(BadInput, AFullDiskLeavesNothingHalfWritten) {
  build(folder_, "lost", kLostUpdate);
  const std::string mount = folder_.file("disk");
  fs::create_directory(mount);
  if (!run({"mount", "-t", "tmpfs", "-o", "size=8k", "none", mount}).ok()) {
    GTEST_SKIP() << "cannot mount a small disk";
  }
  const Result result =
      jostle({"fuzz", "--seed", "1", "--schedules", "2000", "-o", mount, "./lost"},
             {.cwd = folder_.path()});
  size_t leftovers = 0;
  for (const auto& entry : fs::directory_iterator(mount + "/lost")) {
    leftovers += entry.path().extension() == ".tmp";
    if (!is_finding(entry)) continue;
    // The recording is small, and kept when it fits; then it is whole.
    const fs::path recording = entry.path() / "replay.json";
    leftovers += fs::exists(recording) && !read_file(recording).ends_with("}\n");
    leftovers += fs::exists(entry.path() / "report.html");
  }
  run({"umount", mount});
  EXPECT_EQ(leftovers, 0u);
  EXPECT_EQ(result.exit_code, 10) << result;
  EXPECT_THAT(result.err, HasSubstr("cannot write"));
  EXPECT_THAT(result.out, HasSubstr("FAILED after "));
}

TEST_F(BadInput, AnInstallationWithoutItsLibrary) {
  const std::string program = build(folder_, "many", kMany);
  const Result result = jostle({"run", program}, {.env = {{"JOSTLE_LIB", "/nowhere"}}});
  EXPECT_EQ(result.exit_code, 15) << result;
  EXPECT_THAT(result.err, HasSubstr("JOSTLE_LIB=/nowhere"));
}

}  // namespace
}  // namespace jostle::test
