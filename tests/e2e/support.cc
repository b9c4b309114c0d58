// SPDX-License-Identifier: Apache-2.0
#include "tests/e2e/support.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <sstream>

namespace jostle::test {
namespace {

using Clock = std::chrono::steady_clock;

struct Pipe {
  int read_end = -1;
  int write_end = -1;
};

Pipe make_pipe() {
  std::array<int, 2> ends{-1, -1};
  if (pipe2(ends.data(), O_CLOEXEC) != 0) {
    std::perror("support: pipe2");
    std::abort();
  }
  return {ends[0], ends[1]};
}

void close_fd(int& fd) {
  if (fd >= 0) close(fd);
  fd = -1;
}

// A test process must not die because a child closed its stdin early.
void ignore_sigpipe() {
  static const auto previous = std::signal(SIGPIPE, SIG_IGN);
  (void)previous;
}

[[noreturn]] void become_child(const std::vector<std::string>& argv, const RunOptions& options,
                               int in, int out, int err) {
  setpgid(0, 0);
  std::signal(SIGPIPE, SIG_DFL);
  const rlimit no_core{0, 0};
  setrlimit(RLIMIT_CORE, &no_core);
  dup2(in, STDIN_FILENO);
  dup2(out, STDOUT_FILENO);
  dup2(err, STDERR_FILENO);
  unsetenv("COLUMNS");  // of the terminal that the tests are started from
  for (const char* name : {"GTEST_TOTAL_SHARDS", "GTEST_SHARD_INDEX", "GTEST_OUTPUT"}) {
    unsetenv(name);  // ours are not those of a GoogleTest program
  }
  for (const auto& [name, value] : options.env) {
    if (value) {
      setenv(name.c_str(), value->c_str(), 1);
    } else {
      unsetenv(name.c_str());
    }
  }
  bool ready = options.cwd.empty() || chdir(options.cwd.c_str()) == 0;
  std::vector<char*> raw;
  raw.reserve(argv.size() + 1);
  for (const std::string& arg : argv) raw.push_back(const_cast<char*>(arg.c_str()));
  raw.push_back(nullptr);
  if (ready) execvp(raw[0], raw.data());
  dprintf(STDERR_FILENO, "support: cannot run %s: %s\n", raw[0], std::strerror(errno));
  _exit(127);
}

// Moves what is there now from fd to text. False at end of file.
bool drain(int fd, std::string& text) {
  std::array<char, 65536> buffer;
  while (true) {
    const ssize_t n = read(fd, buffer.data(), buffer.size());
    if (n > 0) {
      text.append(buffer.data(), static_cast<size_t>(n));
    } else if (n == 0) {
      return false;
    } else if (errno != EINTR) {
      return errno == EAGAIN;
    }
  }
}

// Writes as much of input as fits now. False when there is no more to write, or nobody reads.
bool feed(int fd, std::string_view& input) {
  while (!input.empty()) {
    const ssize_t n = write(fd, input.data(), input.size());
    if (n < 0) return errno == EAGAIN || errno == EINTR;
    input.remove_prefix(static_cast<size_t>(n));
  }
  return false;
}

int milliseconds_until(Clock::time_point deadline) {
  const auto left = std::chrono::ceil<std::chrono::milliseconds>(deadline - Clock::now()).count();
  return left < 0 ? 0 : static_cast<int>(left);
}

// Feeds and reads the child until it ends or its time is up. An output pipe that a grandchild still
// holds open does not keep us: the end of the child is the end.
void attend(int pidfd, int in, int out, int err, std::string_view input, Clock::time_point deadline,
            Result& result) {
  bool ended = false;
  while (!ended && !result.timed_out) {
    std::array<pollfd, 4> fds{pollfd{pidfd, POLLIN, 0}, pollfd{out, POLLIN, 0},
                              pollfd{err, POLLIN, 0}, pollfd{in, POLLOUT, 0}};
    const int n = poll(fds.data(), fds.size(), milliseconds_until(deadline));
    result.timed_out = n == 0;
    ended = n > 0 && fds[0].revents != 0;
    if (fds[3].revents != 0 && !feed(in, input)) close_fd(in);
    if (fds[1].revents != 0 && !drain(out, result.out)) close_fd(out);
    if (fds[2].revents != 0 && !drain(err, result.err)) close_fd(err);
  }
  if (out >= 0) drain(out, result.out);
  if (err >= 0) drain(err, result.err);
  close_fd(in);
  close_fd(out);
  close_fd(err);
}

void set_nonblocking(int fd) { fcntl(fd, F_SETFL, fcntl(fd, F_GETFL) | O_NONBLOCK); }

}  // namespace

std::ostream& operator<<(std::ostream& os, const Result& result) {
  if (result.timed_out) {
    os << "timed out";
  } else if (result.signal != 0) {
    os << "signal " << result.signal;
  } else {
    os << "exit " << result.exit_code;
  }
  return os << " after " << result.seconds << " s\n--- stdout\n"
            << result.out << "\n--- stderr\n"
            << result.err << "\n---";
}

Result run(const std::vector<std::string>& argv, const RunOptions& options) {
  static const TempDir for_children;
  ignore_sigpipe();
  Pipe in = make_pipe();
  Pipe out = make_pipe();
  Pipe err = make_pipe();
  const Clock::time_point start = Clock::now();
  const pid_t pid = fork();
  if (pid == 0) {
    // Programs whose runs fail, or are rewound, leave there what they have made.
    setenv("TMPDIR", for_children.path().c_str(), 1);
    become_child(argv, options, in.read_end, out.write_end, err.write_end);
  }
  setpgid(pid, pid);  // in both: whoever comes first
  close_fd(in.read_end);
  close_fd(out.write_end);
  close_fd(err.write_end);
  for (int fd : {in.write_end, out.read_end, err.read_end}) set_nonblocking(fd);

  Result result;
  int pidfd = static_cast<int>(syscall(SYS_pidfd_open, pid, 0));
  const auto limit = std::chrono::duration_cast<Clock::duration>(
      std::chrono::duration<double>(options.time_limit));
  attend(pidfd, in.write_end, out.read_end, err.read_end, options.input, start + limit, result);
  kill(-pid, SIGKILL);
  int status = 0;
  rusage usage{};
  while (wait4(pid, &status, 0, &usage) < 0 && errno == EINTR) {
  }
  close_fd(pidfd);
  result.resident_kilobytes = usage.ru_maxrss;
  result.seconds = std::chrono::duration<double>(Clock::now() - start).count();
  if (WIFEXITED(status)) result.exit_code = WEXITSTATUS(status);
  if (WIFSIGNALED(status)) result.signal = WTERMSIG(status);
  return result;
}

Result jostle(std::vector<std::string> args, const RunOptions& options) {
  args.insert(args.begin(), jostle_bin());
  return run(args, options);
}

TempDir::TempDir() {
  std::string name = std::filesystem::temp_directory_path() / "jostle-test-XXXXXX";
  if (mkdtemp(name.data()) == nullptr) {
    std::perror("support: mkdtemp");
    std::abort();
  }
  path_ = name;
}

TempDir::~TempDir() {
  std::error_code ignored;
  std::filesystem::remove_all(path_, ignored);
}

std::string TempDir::write(std::string_view name, std::string_view text) const {
  const std::filesystem::path path = path_ / name;
  std::filesystem::create_directories(path.parent_path());
  std::ofstream(path, std::ios::binary) << text;
  return path;
}

std::string read_file(const std::filesystem::path& path) {
  std::ostringstream text;
  text << std::ifstream(path, std::ios::binary).rdbuf();
  return text.str();
}

std::vector<std::filesystem::path> recordings_in(const std::filesystem::path& folder) {
  std::vector<std::filesystem::path> found;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(folder)) {
    if (entry.path().filename() == "replay.json") found.push_back(entry.path());
  }
  return found;
}

std::filesystem::path recording_in(const std::filesystem::path& folder) {
  const std::vector<std::filesystem::path> found = recordings_in(folder);
  return found.empty() ? std::filesystem::path() : found.front();
}

std::string replaced(std::string text, std::string_view what, std::string_view with) {
  for (size_t at = 0; (at = text.find(what, at)) != text.npos; at += with.size()) {
    text.replace(at, what.size(), with);
  }
  return text;
}

std::string jostle_bin() { return JOSTLE_BIN; }

std::string program(const std::string& flavour, const std::string& name) {
  return std::string(JOSTLE_BUILD_DIR) + "/programs/" + flavour + "/" + name;
}

int long_or_short(int in_long, int in_short) {
  const char* value = std::getenv("JOSTLE_LONG_TESTS");
  return value != nullptr && *value != '\0' ? in_long : in_short;
}

std::vector<std::string> compile_cxx(const std::string& source, const std::string& program) {
  std::vector<std::string> words = {"c++",        "-g",       "-O1",
                                    "-std=c++20", "-pthread", "-I" JOSTLE_SOURCE_DIR "/include"};
  const std::string headers = JOSTLE_BUILD_DIR "/programs/common/gcc/common_headers.h";
  if (long_or_short(0, 1) != 0 && std::filesystem::exists(headers + ".gch")) {
    words.insert(words.end(), {"-include", headers});
  }
#ifdef JOSTLE_QUICK_LINKER
  words.push_back("-fuse-ld=gold");
#endif
  words.insert(words.end(), {source, "-o", program});
  return words;
}

std::vector<std::string> instrumented_flavours() {
#ifdef JOSTLE_TEST_CLANGXX
  return {"gcc", "clang"};
#else
  return {"gcc"};
#endif
}

}  // namespace jostle::test
