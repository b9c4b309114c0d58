// SPDX-License-Identifier: Apache-2.0
// What every end-to-end test needs: run a command to its end and look at what it did.
//
// A test here is a user at a terminal: it runs the built `jostle`, compilers and test programs as
// child processes and sees only their output, exit status and files. Each child gets a process
// group of its own; when it ends or its time is up, the whole group is killed, so that no test
// leaves anything running. Nothing here throws or asserts for a failing child: a failure to start
// is exit code 127 with the reason in `err`, as in a shell.
#pragma once

#include <filesystem>
#include <map>
#include <optional>
#include <ostream>
#include <string>
#include <string_view>
#include <vector>

namespace jostle::test {

struct Result {
  int exit_code = -1;  // -1 when a signal ended it
  int signal = 0;      // 0 when it exited by itself
  std::string out;
  std::string err;
  bool timed_out = false;       // killed by us: signal is SIGKILL
  double seconds = 0;           // wall-clock
  long resident_kilobytes = 0;  // the most, of it or of a process that it has waited for

  bool ok() const { return exit_code == 0; }
};

// The whole story in a failed EXPECT: status, then both outputs.
std::ostream& operator<<(std::ostream& os, const Result& result);

struct RunOptions {
  std::string input = {};                                      // written to stdin, then closed
  std::map<std::string, std::optional<std::string>> env = {};  // added to ours; nullopt removes
  std::filesystem::path cwd = {};                              // empty: ours
  double time_limit = 60;                                      // seconds
};

// Runs argv[0] (looked up in PATH when it has no slash) and waits for it.
Result run(const std::vector<std::string>& argv, const RunOptions& options = {});

// Runs the built jostle command with these arguments.
Result jostle(std::vector<std::string> args, const RunOptions& options = {});

// A directory of its own, removed with everything in it at the end of the scope.
class TempDir {
 public:
  TempDir();
  ~TempDir();
  TempDir(const TempDir&) = delete;
  TempDir& operator=(const TempDir&) = delete;

  const std::filesystem::path& path() const { return path_; }
  // Path of a file inside, as a string, ready for an argument vector.
  std::string file(std::string_view name) const { return path_ / name; }
  // Writes a file inside (parent folders are made) and returns its path.
  std::string write(std::string_view name, std::string_view text) const;

 private:
  std::filesystem::path path_;
};

// The folder of a finding, among what else is in a program's output folder.
inline bool is_finding(const std::filesystem::directory_entry& entry) {
  return entry.is_directory() && entry.path().filename() != "corpus";
}
// Every replay.json below a folder, and the one of a search that found one failure; empty when
// there is none.
std::vector<std::filesystem::path> recordings_in(const std::filesystem::path& folder);
std::filesystem::path recording_in(const std::filesystem::path& folder);
// The whole text of a file; empty when it cannot be read.
std::string read_file(const std::filesystem::path& path);
// The text with every occurrence of `what` written as `with`.
std::string replaced(std::string text, std::string_view what, std::string_view with);

// Path of the built command.
std::string jostle_bin();

// Path of a built test program. Flavour: "gcc" or "clang" (built with `jostle c++`) or "plain";
// name: path below tests/programs without its extension, for example "sync/mutex_basic".
std::string program(const std::string& flavour, const std::string& name);

// How often, how many: the first number in `./dev test --long`, which sets JOSTLE_LONG_TESTS, and
// the second otherwise. For repetitions and sizes; see tests/README.md.
int long_or_short(int in_long, int in_short);

// What `jostle` is given to compile a small program, with our own header at hand. Where everything
// is built at once, what most programs include is precompiled, and not read again for each, and
// the linker is the quick one.
std::vector<std::string> compile_cxx(const std::string& source, const std::string& program);

// The instrumented flavours of this build: gcc always, clang when it is installed.
std::vector<std::string> instrumented_flavours();

}  // namespace jostle::test
