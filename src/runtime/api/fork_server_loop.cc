// SPDX-License-Identifier: Apache-2.0
#include "src/runtime/api/fork_server_loop.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "src/base/hash.h"
#include "src/runtime/api/passed_signals.h"
#include "src/runtime/start/start.h"
#include "src/schedule/fork_server.h"

namespace jostle::rt {
namespace {

using namespace fork_server;

constexpr uint64_t kSecond = 1'000'000'000;
constexpr uint64_t kDefaultNanoseconds = kSecond;
constexpr char kTimeVariable[] = "JOSTLE_FUZZ_FOR";
// Flags of a test program that are for us: test frameworks leave them alone.
constexpr char kOwnFlags[] = "--jostle_";
constexpr char kTimeFlag[] = "--jostle_fuzz_for=";
constexpr char kCommandVariable[] = "JOSTLE_COMMAND";

// Words for the command; they live as long as this does.
class Words {
 public:
  ~Words() {
    for (size_t i = 0; i < count_; ++i) free(words_[i]);
  }
  __attribute__((format(printf, 2, 3))) void add(const char* format, ...) {
    va_list arguments;
    va_start(arguments, format);
    char* word = nullptr;
    if (count_ + 1 < kMost && vasprintf(&word, format, arguments) >= 0) words_[count_++] = word;
    va_end(arguments);
  }
  void add_all(const char* text) {
    for (const char* at = text; *at;) {
      const size_t length = strcspn(at, " ");
      if (length) add("%.*s", static_cast<int>(length), at);
      at += length + (at[length] == ' ');
    }
  }
  // The program's own arguments, as the kernel has them.
  bool add_own_arguments() {
    FILE* file = fopen("/proc/self/cmdline", "re");
    if (!file) return false;
    char* word = nullptr;
    size_t room = 0;
    bool first = true;
    while (getdelim(&word, &room, '\0', file) > 0) {
      if (!first && strncmp(word, kOwnFlags, strlen(kOwnFlags)) != 0) add("%s", word);
      first = false;
    }
    free(word);
    fclose(file);
    return true;
  }
  char** list() { return words_; }
  size_t left() const { return kMost - 1 - count_; }

 private:
  static constexpr size_t kMost = 4096;
  char* words_[kMost] = {};
  size_t count_ = 0;
};

bool is_there(const char* path) { return ::access(path, X_OK) == 0; }

// Where libjostle.so is, the command is in ../bin; in a Debian tree one folder higher.
bool find_command(char* path, size_t room) {
  if (const char* given = getenv(kCommandVariable); given && *given) {
    snprintf(path, room, "%s", given);
    return is_there(path);
  }
  Dl_info own;
  if (dladdr(reinterpret_cast<void*>(&serve_check), &own) && own.dli_fname) {
    char library[3072];
    if (!realpath(own.dli_fname, library)) library[0] = '\0';
    for (int levels = 0; levels < 3; ++levels) {
      if (char* slash = strrchr(library, '/')) *slash = '\0';
      snprintf(path, room, "%s/bin/jostle", library);
      if (is_there(path)) return true;
    }
  }
  const char* folders = getenv("PATH");
  while (folders && *folders) {
    const size_t length = strcspn(folders, ":");
    snprintf(path, room, "%.*s/jostle", static_cast<int>(length), folders);
    if (is_there(path)) return true;
    folders += length + (folders[length] == ':');
  }
  return false;
}

// How long somebody wants to search who has more time than a unit test.
bool find_time(char* time, size_t room) {
  const char* given = getenv(kTimeVariable);
  snprintf(time, room, "%s", given ? given : "");
  if (FILE* file = fopen("/proc/self/cmdline", "re")) {
    char* word = nullptr;
    size_t size = 0;
    while (getdelim(&word, &size, '\0', file) > 0) {
      const size_t length = strlen(kTimeFlag);
      if (strncmp(word, kTimeFlag, length) == 0) snprintf(time, room, "%s", word + length);
    }
    free(word);
    fclose(file);
  }
  return time[0] != '\0';
}

bool add_words(Words& words, const jostle_check& check, const char* name, int socket) {
  char program[4096];
  const ssize_t length = readlink("/proc/self/exe", program, sizeof program - 1);
  if (length <= 0) return false;
  program[length] = '\0';
  words.add("jostle");
  words.add(check.verify ? "verify" : "fuzz");
  words.add("--fork-server=%d", socket);
  words.add("--check-name=%s", name);
  char longer[64];
  const bool is_long = find_time(longer, sizeof longer);
  if (is_long) {
    words.add("--time=%s", longer);
  } else if (check.nanoseconds || (!check.schedules && !check.verify)) {
    const uint64_t time = check.nanoseconds ? check.nanoseconds : kDefaultNanoseconds;
    words.add("--time=%llu.%09llus", static_cast<unsigned long long>(time / kSecond),
              static_cast<unsigned long long>(time % kSecond));
  }
  if (check.schedules && !is_long) {
    words.add("%s=%llu", check.verify ? "--executions" : "--schedules",
              static_cast<unsigned long long>(check.schedules));
  }
  if (check.verify) {
    // Nothing is drawn by lot.
  } else if (check.seed) {
    words.add("--seed=%llu", static_cast<unsigned long long>(check.seed));
  } else if (!is_long) {
    // The same in every run of the tests: they fail or pass together with the code.
    words.add("--seed=%llu",
              static_cast<unsigned long long>(fnv1a(name, strlen(name)) % 1'000'000));
  }
  // How far it has got is of interest to who waits for all executions.
  if (!is_long && !(check.verify && isatty(STDERR_FILENO))) words.add("--quiet");
  if (check.strategy && *check.strategy && !check.verify)
    words.add("--strategy=%s", check.strategy);
  if (check.workers) words.add("--jobs=%u", check.workers);
  if (check.output && *check.output) words.add("--output=%s", check.output);
  if (check.arguments) words.add_all(check.arguments);
  if (const char* more = getenv("JOSTLE_OPTIONS")) words.add_all(more);
  words.add("--");
  words.add("%s", program);
  if (!words.add_own_arguments()) return false;
  if (check.replay_argument) words.add_all(check.replay_argument);
  return words.left() != 0;
}

bool read_all(int socket, void* to, size_t size) {
  auto* at = static_cast<char*>(to);
  while (size != 0) {
    const ssize_t n = read(socket, at, size);
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) return false;
    at += n;
    size -= static_cast<size_t>(n);
  }
  return true;
}

// With it come the descriptors that it says.
bool receive(int socket, Request& request, int* descriptors) {
  iovec data{&request, sizeof request};
  alignas(cmsghdr) char control[CMSG_SPACE(kMostAttached * sizeof(int))];
  msghdr message{};
  message.msg_iov = &data;
  message.msg_iovlen = 1;
  message.msg_control = control;
  message.msg_controllen = sizeof control;
  ssize_t n;
  while ((n = recvmsg(socket, &message, MSG_CMSG_CLOEXEC)) < 0 && errno == EINTR) {
  }
  if (n <= 0) return false;
  const auto rest = sizeof request - static_cast<size_t>(n);
  if (rest && !read_all(socket, reinterpret_cast<char*>(&request) + n, rest)) return false;
  int received[kMostAttached];
  int count = 0;
  if (const cmsghdr* header = CMSG_FIRSTHDR(&message); header && header->cmsg_type == SCM_RIGHTS) {
    count = static_cast<int>((header->cmsg_len - CMSG_LEN(0)) / sizeof(int));
    memcpy(received, CMSG_DATA(header), static_cast<size_t>(count) * sizeof(int));
  }
  int next = 0;
  for (int i = 0; i < kMostAttached; ++i) {
    const bool has = (request.attached >> i & 1) && next < count;
    descriptors[i] = has ? received[next++] : -1;
  }
  return true;
}

bool answer(int socket, const Answer& text) {
  return send(socket, &text, sizeof text, MSG_NOSIGNAL) == static_cast<ssize_t>(sizeof text);
}

[[noreturn]] void become_target(const jostle_check& check, const Request& request,
                                const int* descriptors, int socket) {
  if (request.own_group) setpgid(0, 0);
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  stop_passing_signals_on();
  close(socket);
  for (int i = 0; i < 3; ++i) {
    if (const int fd = descriptors[2 + i]; fd >= 0) {
      dup2(fd, i);
      close(fd);
    }
  }
  channel::Channel* channel = open_channel(descriptors[0], descriptors[1]);
  run_check(check, channel);
}

Answer start_target(const jostle_check& check, const Request& request, const int* descriptors,
                    int socket) {
  const pid_t pid = fork();
  if (pid == 0) become_target(check, request, descriptors, socket);
  if (pid < 0) return {-1, errno, 0, 0};
  if (request.own_group) setpgid(pid, pid);  // in both processes: either may be first
  return {pid, 0, 0, 0};
}

bool has_ended(pid_t pid) {
  siginfo_t info{};
  return waitid(P_PID, static_cast<id_t>(pid), &info, WEXITED | WNOHANG | WNOWAIT) != 0 ||
         info.si_pid == pid;
}

int status_of(pid_t pid) {
  int status = 0;
  while (waitpid(pid, &status, 0) < 0 && errno == EINTR) {
  }
  return status;
}

char* read_text(int socket, uint64_t bytes) {
  auto* text = static_cast<char*>(malloc(bytes + 1));
  if (!text || !read_all(socket, text, bytes)) bytes = 0;
  if (text) text[bytes] = '\0';
  return text;
}

void take_result(int socket, const Request& end, jostle_result& result) {
  free(result.report);
  free(result.replay);
  result.exit_code = end.exit_code;
  result.schedules = end.schedules;
  result.rejected = end.rejected;
  result.scenarios = end.scenarios;
  result.not_judged = end.not_judged;
  result.executions = end.executions;
  result.seconds = end.seconds;
  result.report = read_text(socket, end.text_bytes);
  result.replay = read_text(socket, end.replay_bytes);
}

// Does what the command asks until it has no more to ask.
bool serve(const jostle_check& check, int socket, jostle_result& result) {
  Request request;
  int descriptors[kMostAttached];
  while (receive(socket, request, descriptors)) {
    Answer text{request.pid, 0, 0, 0};
    if (request.ask == Ask::done) {
      take_result(socket, request, result);
      return true;
    }
    if (request.ask == Ask::start) text = start_target(check, request, descriptors, socket);
    if (request.ask == Ask::ended) text.ended = has_ended(request.pid);
    if (request.ask == Ask::reap) text.status = status_of(request.pid);
    for (const int fd : descriptors) {
      if (fd >= 0) close(fd);
    }
    if (!answer(socket, text)) return false;
  }
  return false;
}

// The command's pid, or -1.
pid_t start_command(const char* command, Words& words, int inherited, int other) {
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0);
  posix_spawn_file_actions_addclose(&actions, other);
  pid_t pid = -1;
  const int error = posix_spawn(&pid, command, &actions, nullptr, words.list(), environ);
  posix_spawn_file_actions_destroy(&actions);
  close(inherited);
  if (error == 0) return pid;
  errno = error;
  return -1;
}

[[noreturn]] void end_by_signal(int signal, const char* name, const jostle_result& result) {
  const char* report = result.report ? result.report : "";
  fprintf(stderr, "%s%sjostle: %s: interrupted after %llu schedule%s\n", report,
          *report && report[strlen(report) - 1] != '\n' ? "\n" : "", name,
          static_cast<unsigned long long>(result.schedules), result.schedules == 1 ? "" : "s");
  fflush(nullptr);
  raise(signal);
  _exit(128 + signal);  // it was blocked
}

void complain(const char* what, const char* why) { fprintf(stderr, "jostle: %s: %s\n", what, why); }

}  // namespace

void serve_check(const jostle_check& check, const char* name, jostle_result& result) {
  result.status = JOSTLE_ERROR;
  char command[4096];
  if (!find_command(command, sizeof command)) {
    return complain("the jostle command is not where libjostle.so is",
                    "install it, or say where it is in JOSTLE_COMMAND");
  }
  int ends[2];
  if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0) {
    return complain("no socket pair", strerror(errno));
  }
  fcntl(ends[1], F_SETFD, 0);
  fflush(nullptr);  // or every target would write it once more
  Words words;
  if (!add_words(words, check, name, ends[1])) {
    close(ends[0]);
    close(ends[1]);
    return complain("cannot tell the jostle command how this program was started",
                    "too many arguments, or no /proc");
  }
  const pid_t pid = start_command(command, words, ends[1], ends[0]);
  if (pid < 0) {
    close(ends[0]);
    return complain(command, strerror(errno));
  }
  pass_signals_on_to(pid);
  const bool complete = serve(check, ends[0], result);
  close(ends[0]);
  const int status = status_of(pid);
  if (const int signal = stop_passing_signals_on()) end_by_signal(signal, name, result);
  if (!complete) {
    // What went wrong it has said itself, unless it died.
    result.exit_code = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
    if (WIFSIGNALED(status)) complain("the jostle command died", strsignal(WTERMSIG(status)));
    return;
  }
  constexpr int kFound = 77;
  result.status = result.exit_code == 0        ? JOSTLE_PASSED
                  : result.exit_code == kFound ? JOSTLE_FAILED
                                               : JOSTLE_ERROR;
}

}  // namespace jostle::rt
