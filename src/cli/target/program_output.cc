// SPDX-License-Identifier: Apache-2.0
#include "src/cli/target/program_output.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <spawn.h>
#include <sys/mman.h>
#include <sys/wait.h>

#include <cstring>

#include "src/cli/support/descriptor.h"
#include "src/cli/target/launch.h"
#include "src/cli/target/signals.h"

namespace jostle::cli {
namespace {

constexpr off_t kMostPrinted = off_t{64} << 20;  // more is no answer

std::string all_of(int fd) {
  const off_t size = std::min(lseek(fd, 0, SEEK_END), kMostPrinted);
  std::string text(static_cast<size_t>(std::max<off_t>(size, 0)), '\0');
  const ssize_t n = pread(fd, text.data(), text.size(), 0);
  text.resize(n > 0 ? static_cast<size_t>(n) : 0);
  return text;
}

std::vector<std::string> environment_with(const std::string& libraries) {
  constexpr std::string_view kPath = "LD_LIBRARY_PATH=";
  std::vector<std::string> result;
  std::string path(kPath);
  path += libraries;
  for (char** entry = environ; *entry != nullptr; ++entry) {
    const std::string_view text(*entry);
    if (libraries.empty() || !text.starts_with(kPath)) {
      result.emplace_back(text);
    } else if (text.size() > kPath.size()) {
      path.append(":").append(text.substr(kPath.size()));
    }
  }
  if (!libraries.empty()) result.push_back(path);
  return result;
}

}  // namespace

Result<ProgramOutput> output_of(const std::vector<std::string>& command,
                                const std::string& directory, const std::string& libraries,
                                std::chrono::nanoseconds longest) {
  const Descriptor out(memfd_create("jostle-answer", MFD_CLOEXEC));
  const Descriptor err(memfd_create("jostle-complaint", MFD_CLOEXEC));
  std::vector<std::string> arguments = command, environment = environment_with(libraries);
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
  posix_spawn_file_actions_adddup2(&actions, out.get(), STDOUT_FILENO);
  posix_spawn_file_actions_adddup2(&actions, err.get(), STDERR_FILENO);
  if (!directory.empty()) posix_spawn_file_actions_addchdir_np(&actions, directory.c_str());
  posix_spawnattr_t attributes;
  posix_spawnattr_init(&attributes);
  posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETPGROUP);
  posix_spawnattr_setpgroup(&attributes, 0);
  pid_t pid = -1;
  const int error = posix_spawnp(&pid, arguments[0].c_str(), &actions, &attributes,
                                 raw_pointers(arguments).data(), raw_pointers(environment).data());
  posix_spawnattr_destroy(&attributes);
  posix_spawn_file_actions_destroy(&actions);
  if (error != 0) {
    return Error{Exit::no_start,
                 fmt::format("cannot start {}: {}", command[0], std::strerror(error))};
  }
  TargetProcess process(pid, true);
  const SignalWatch signals;  // it has a group of its own: Ctrl-C reaches only us
  ProgramOutput output;
  const auto end = std::chrono::steady_clock::now() + longest;
  std::optional<int> status;
  while (!status && std::chrono::steady_clock::now() < end && signals.interrupts() == 0) {
    status = process.wait(end - std::chrono::steady_clock::now());
  }
  if (!status && signals.interrupts() != 0) {
    return Error{Exit::interrupted, fmt::format("interrupted while {} was asked", command[0])};
  }
  output.timed_out = !status;
  if (!status) status = process.kill();
  if (WIFEXITED(*status)) output.exit_code = WEXITSTATUS(*status);
  output.out = all_of(out.get());
  output.err = all_of(err.get());
  return output;
}

}  // namespace jostle::cli
