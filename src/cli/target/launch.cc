// SPDX-License-Identifier: Apache-2.0
#include "src/cli/target/launch.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <sys/personality.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <map>

#include "src/cli/support/installed_files.h"
#include "src/cli/target/atomic_functions.h"
#include "src/cli/target/fork_server_client.h"
#include "src/report/symbols/assembly_atomics.h"

namespace jostle::cli {
namespace {

namespace fs = std::filesystem;

// ld.so splits its lists there, and has no way to quote.
bool has_separator(const std::string& path) { return path.find_first_of(": ;") != path.npos; }

Result<fs::path> library_directory() {
  std::error_code error;
  if (const char* given = std::getenv("JOSTLE_LIB"); given != nullptr && given[0] != '\0') {
    fs::path path = fs::absolute(given, error);
    if (fs::is_regular_file(path, error)) path = path.parent_path();
    if (fs::exists(path / "libjostle.so", error)) return path;
    return Error{
        Exit::no_start,
        fmt::format("JOSTLE_LIB={}: no libjostle.so there (unset it, or correct it)", given)};
  }
  const fs::path command = fs::read_symlink("/proc/self/exe", error);
  if (const auto found = find_library_dir(command)) return *found;
  return Error{
      Exit::no_start,
      fmt::format("cannot find libjostle.so for {}: install Jostle again, or set JOSTLE_LIB",
                  command.string())};
}

// Puts `value` in front of the variable, and what the variable was into `saved`.
void prepend(std::vector<std::pair<std::string, std::string>>& variables, const char* name,
             const char* saved, const std::string& value) {
  const char* previous = std::getenv(name);
  const bool has_more = previous != nullptr && previous[0] != '\0';
  variables.emplace_back(name, has_more ? value + ":" + previous : value);
  if (previous != nullptr) variables.emplace_back(saved, previous);
}

std::vector<std::string> full_environment(
    const std::vector<std::pair<std::string, std::string>>& added) {
  std::vector<std::string> result;
  const auto is_replaced = [&](std::string_view entry) {
    const std::string_view name = entry.substr(0, entry.find('='));
    // Left behind by a jostle around us: its run-time puts them back for the wrong process.
    if (name == channel::kSavedPreloadVariable || name == channel::kSavedLibraryPathVariable) {
      return true;
    }
    return std::any_of(added.begin(), added.end(), [&](const auto& v) { return v.first == name; });
  };
  for (char** entry = environ; *entry != nullptr; ++entry) {
    if (!is_replaced(*entry)) result.emplace_back(*entry);
  }
  for (const auto& [name, value] : added) result.push_back(fmt::format("{}={}", name, value));
  return result;
}

// dup2, also right when both numbers are the same and the descriptor closes on exec.
bool put_at(int fd, int number) {
  if (fd < 0) return true;
  if (fd == number) return fcntl(fd, F_SETFD, 0) == 0;
  return dup2(fd, number) >= 0;
}

std::vector<int> open_descriptors() {
  std::vector<int> found;
  std::error_code error;
  for (fs::directory_iterator i("/proc/self/fd", error), end; !error && i != end;
       i.increment(error)) {
    const std::string name = i->path().filename();
    found.push_back(std::atoi(name.c_str()));
  }
  std::erase_if(found, [](int fd) { return fcntl(fd, F_GETFD) < 0; });  // that read the folder
  return found;
}

std::vector<int>& inherited_descriptors() {
  static auto& all = *new std::vector<int>;
  return all;
}

// By the variable that tells its number: who announces another one has closed the last.
std::map<std::string, int>& announced_descriptors() {
  static auto& all = *new std::map<std::string, int>;
  return all;
}

bool is_for_programs(int fd) {
  const auto is_it = [&](const auto& announced) { return announced.second == fd; };
  return fd <= STDERR_FILENO ||
         std::ranges::find(inherited_descriptors(), fd) != inherited_descriptors().end() ||
         std::ranges::any_of(announced_descriptors(), is_it);
}

// Libraries (libdw, which reads debug information) open files that a child would inherit. The
// program's own descriptors would then have other numbers than in the run before, and it may go
// by them: epoll reports what is ready in their order.
void keep_descriptors_private() {
  for (const int fd : open_descriptors()) {
    if (!is_for_programs(fd)) fcntl(fd, F_SETFD, FD_CLOEXEC);
  }
}

enum class Step : int { directory, descriptors, exec };

struct ChildError {
  Step step;
  int error;
};

// Between vfork and exec: only system calls, because the memory is the command's. Returns the step
// that failed.
Step become_target(const LaunchPlan& plan, SharedChannel& channel, pid_t parent, char** arguments,
                   char** environment, const sigset_t& mask) {
  if (plan.own_group) setpgid(0, 0);
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (getppid() != parent) raise(SIGKILL);  // it died before we said so
  const int was = personality(0xFFFFFFFF);
  if (was == -1 || personality(static_cast<unsigned long>(was) | ADDR_NO_RANDOMIZE) == -1) {
    channel->status.uncontrolled.fetch_or(channel::kNotRandomised);
  }
  if (!plan.directory.empty() && chdir(plan.directory.c_str()) != 0) return Step::directory;
  if (!put_at(plan.in, STDIN_FILENO) || !put_at(plan.out, STDOUT_FILENO) ||
      !put_at(plan.err, STDERR_FILENO) || fcntl(channel.descriptor(), F_SETFD, 0) != 0 ||
      (plan.hub >= 0 && fcntl(plan.hub, F_SETFD, 0) != 0)) {
    return Step::descriptors;
  }
  sigprocmask(SIG_SETMASK, &mask, nullptr);
  execve(plan.program.c_str(), arguments, environment);
  return Step::exec;
}

// The child borrows our memory until it is the target: copying the page tables of all that is
// mapped here would take longer than everything else. We wait for it, so that a failure is known at
// once. Nothing may interrupt either meanwhile: a handler would run twice on the same variables.
pid_t start_child(const LaunchPlan& plan, SharedChannel& channel, char** arguments,
                  char** environment, ChildError& failure) {
  const pid_t parent = getpid();
  sigset_t all, before;
  sigfillset(&all);
  sigprocmask(SIG_SETMASK, &all, &before);
  const pid_t pid = vfork();  // NOLINT(clang-analyzer-security.insecureAPI.vfork)
  if (pid == 0) {
    failure.step = become_target(plan, channel, parent, arguments, environment, before);
    failure.error = errno;
    _exit(127);
  }
  const int error = errno;
  sigprocmask(SIG_SETMASK, &before, nullptr);
  errno = error;
  return pid;
}

Error start_error(const LaunchPlan& plan, const ChildError& failure) {
  const char* reason = std::strerror(failure.error);
  if (failure.step == Step::directory) {
    return {Exit::no_start, fmt::format("cannot enter {}: {}", plan.directory, reason)};
  }
  if (failure.step == Step::exec && failure.error == E2BIG) {
    return {Exit::no_start, fmt::format("cannot start {}: its arguments and environment are too "
                                        "long",
                                        plan.program)};
  }
  return {Exit::no_start, fmt::format("cannot start {}: {}", plan.program, reason)};
}

}  // namespace

std::vector<char*> raw_pointers(std::vector<std::string>& strings) {
  std::vector<char*> result;
  result.reserve(strings.size() + 1);
  for (std::string& s : strings) result.push_back(s.data());
  result.push_back(nullptr);
  return result;
}

void note_inherited_descriptors() { inherited_descriptors() = open_descriptors(); }

void announce_descriptor(const char* variable, int descriptor) {
  fcntl(descriptor, F_SETFD, 0);
  announced_descriptors()[variable] = descriptor;
  setenv(variable, std::to_string(descriptor).c_str(), 1);
}

Result<Installation> find_installation(bool preloads) {
  const Result<fs::path> directory = library_directory();
  if (!directory) return directory.error();
  const Installation found{*directory / "libjostle.so", *directory / "jostle" / "tsan"};
  if (preloads && has_separator(found.library)) {
    return Error{Exit::no_start,
                 fmt::format("{} cannot be preloaded: its path has a space, colon or semicolon "
                             "(install it elsewhere, or set JOSTLE_LIB)",
                             found.library)};
  }
  return found;
}

std::vector<std::pair<std::string, std::string>> target_environment(
    const Installation& installation, int channel_descriptor, const std::string& check) {
  std::vector<std::pair<std::string, std::string>> variables;
  prepend(variables, "LD_PRELOAD", channel::kSavedPreloadVariable, installation.library);
  prepend(variables, "LD_LIBRARY_PATH", channel::kSavedLibraryPathVariable,
          installation.tsan_directory);
  // Otherwise every run of a rewound process would look up its functions again.
  if (const char* previous = std::getenv("LD_BIND_NOW")) {
    variables.emplace_back(channel::kSavedBindNowVariable, previous);
  }
  variables.emplace_back("LD_BIND_NOW", "1");
  if (!std::getenv(channel::kSpinCountVariable) && !std::getenv("OMP_WAIT_POLICY")) {
    variables.emplace_back(channel::kSpinCountVariable, "0");
    variables.emplace_back(channel::kNoSpinCountVariable, "1");
  }
  variables.emplace_back(channel::kDescriptorVariable, std::to_string(channel_descriptor));
  if (!check.empty()) variables.emplace_back(channel::kCheckVariable, check);
  return variables;
}

namespace {

// The same file is started again and again.
bool has_unseen_atomics(const std::string& program) {
  static std::map<std::string, bool> known;
  const auto [entry, is_new] = known.try_emplace(program);
  if (is_new) entry->second = report::has_assembly_atomics(program);
  return entry->second;
}

}  // namespace

Result<TargetProcess> launch(const LaunchPlan& plan, SharedChannel& channel,
                             const Installation& installation) {
  channel->config.unseen_atomics = has_unseen_atomics(plan.program);
  channel->config.hub_descriptor = plan.hub >= 0 ? plan.hub : 0;
  channel->config.stop_count = static_cast<uint32_t>(plan.stops.size());
  std::copy(plan.stops.begin(), plan.stops.end(), channel->stops);
  channel->config.atomic_count = 0;
  if (channel->config.atomic[0] != '\0' && !installation.fork_server) {
    const auto functions = atomic_functions(plan, channel->config.atomic, installation);
    if (!functions) return functions.error();
    channel->config.atomic_count = static_cast<uint32_t>(functions->size());
    std::copy(functions->begin(), functions->end(), channel->atomic_functions);
  }
  if (installation.fork_server) {
    Result<pid_t> child = installation.fork_server->start(plan, channel.descriptor());
    if (!child) return child.error();
    return TargetProcess(*child, plan.own_group, installation.fork_server);
  }
  std::vector<std::string> arguments = plan.arguments;
  std::vector<std::string> environment =
      full_environment(target_environment(installation, channel.descriptor(), plan.check));
  std::vector<char*> raw_arguments = raw_pointers(arguments);
  std::vector<char*> raw_environment = raw_pointers(environment);
  ChildError failure{};
  keep_descriptors_private();
  const pid_t pid =
      start_child(plan, channel, raw_arguments.data(), raw_environment.data(), failure);
  if (pid < 0) return Error{Exit::no_start, fmt::format("cannot fork: {}", std::strerror(errno))};
  if (plan.own_group) setpgid(pid, pid);
  TargetProcess process(pid, plan.own_group);
  if (failure.error != 0) return start_error(plan, failure);
  return process;
}

TargetProcess::TargetProcess(pid_t pid, bool own_group, std::shared_ptr<ForkServer> parent)
    : pid_(pid),
      own_group_(own_group),
      parent_(std::move(parent)),
      watch_(static_cast<int>(syscall(SYS_pidfd_open, pid, 0))) {
  if (watch_.valid()) fcntl(watch_.get(), F_SETFD, FD_CLOEXEC);
}

TargetProcess::~TargetProcess() {
  if (pid_ > 0) kill();
}

void TargetProcess::send(int signal) const {
  if (pid_ > 0) ::kill(own_group_ ? -pid_ : pid_, signal);
}

std::optional<int> TargetProcess::wait(std::chrono::nanoseconds longest) {
  for (bool waited = false;; waited = true) {
    // Looked at before it is reaped: as long as it is there, its group's number is its own.
    if (has_ended()) return kill();
    if (waited) return std::nullopt;
    // Without a pidfd the end is seen a little later.
    const auto nap =
        watch_.valid() ? longest
                       : std::min<std::chrono::nanoseconds>(longest, std::chrono::milliseconds(5));
    const auto seconds = std::chrono::duration_cast<std::chrono::seconds>(nap);
    const timespec timeout{seconds.count(), (nap - seconds).count()};
    pollfd poll_entry{watch_.get(), POLLIN, 0};
    ppoll(&poll_entry, watch_.valid() ? 1 : 0, &timeout, nullptr);
  }
}

bool TargetProcess::has_ended() const {
  if (parent_) return parent_->has_ended(pid_);
  siginfo_t info{};
  const int looked = waitid(P_PID, static_cast<id_t>(pid_), &info, WEXITED | WNOHANG | WNOWAIT);
  return looked != 0 || info.si_pid == pid_;
}

int TargetProcess::kill() {
  if (own_group_) ::kill(-pid_, SIGKILL);
  ::kill(pid_, SIGKILL);
  int status = 0;
  if (parent_) {
    status = parent_->reap(pid_);
    pid_ = -1;
    return status;
  }
  while (waitpid(pid_, &status, 0) < 0 && errno == EINTR) {
  }
  pid_ = -1;
  return status;
}

}  // namespace jostle::cli
