// SPDX-License-Identifier: Apache-2.0
#include "src/cli/folder/process_mark.h"

#include <fmt/format.h>
#include <signal.h>
#include <unistd.h>

#include <cerrno>
#include <charconv>
#include <filesystem>
#include <fstream>
#include <optional>
#include <sstream>

namespace jostle::cli {
namespace {

std::string first_line(const std::string& path) {
  std::ifstream file(path);
  std::string line;
  std::getline(file, line);
  return line;
}

// In which the id means something; empty: nobody says.
const std::string& own_machine() {
  static const std::string machine = [] {
    std::error_code error;
    const std::string boot = first_line("/proc/sys/kernel/random/boot_id");
    const std::string space = std::filesystem::read_symlink("/proc/self/ns/pid", error);
    return boot.empty() || space.empty() ? "" : boot + " " + space;
  }();
  return machine;
}

// What /proc says of a process that is there.
struct Seen {
  char state = '?';
  std::string began;  // clock ticks after the boot
};

std::optional<Seen> look_at(pid_t process) {
  const std::string line = first_line(fmt::format("/proc/{}/stat", process));
  const size_t name_end = line.rfind(')');  // 1234 (name) Z 1 …
  if (name_end == std::string::npos) return std::nullopt;
  constexpr int kBehindName = 20;  // the 22nd of all fields
  std::istringstream fields(line.substr(name_end + 1));
  Seen seen;
  std::string field;
  for (int i = 1; i <= kBehindName && fields >> field; ++i) {
    if (i == 1) seen.state = field[0];
    if (i == kBehindName) seen.began = field;
  }
  if (seen.began.empty()) return std::nullopt;
  return seen;
}

}  // namespace

std::string own_process_mark() {
  const std::optional<Seen> self = look_at(getpid());
  if (!self || own_machine().empty()) return {};
  return fmt::format("{} {} {}", own_machine(), getpid(), self->began);
}

bool has_ended_here(std::string_view mark) {
  const std::string machine = own_machine() + " ";
  if (machine.size() == 1 || !mark.starts_with(machine)) return false;
  mark.remove_prefix(machine.size());
  pid_t process = 0;
  const auto [id_end, wrong] = std::from_chars(mark.data(), mark.data() + mark.size(), process);
  if (wrong != std::errc() || process <= 0) return false;
  if (kill(process, 0) != 0 && errno == ESRCH) return true;
  // Somebody has that id; who may not look at others' processes cannot know more.
  const std::optional<Seen> seen = look_at(process);
  if (!seen) return false;
  mark.remove_prefix(static_cast<size_t>(id_end - mark.data()));
  return seen->state == 'Z' || seen->state == 'X' || mark != " " + seen->began;
}

}  // namespace jostle::cli
