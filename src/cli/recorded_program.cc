#include "src/cli/recorded_program.h"

#include <fmt/format.h>

#include <filesystem>

namespace jostle::cli {
namespace {

// Finds the recorded program: where it was, or under the name it was given from here.
Result<Target> find_program(const RecordedProgram& program, bool& moved) {
  Result<Target> target = examine_target(program.absolute);
  moved = !target && target.error().code == Exit::missing && program.given != program.absolute;
  if (moved) {
    target = examine_target(program.given);
    if (!target && target.error().code == Exit::missing) {
      return Error{
          Exit::missing,
          fmt::format("the recorded program {} is missing: build it again, or replay where "
                      "{} is",
                      program.absolute, program.given)};
    }
  }
  if (target) target->given = program.given;
  return target;
}

MaybeError check_unchanged(const RecordedProgram& program, const Target& target, bool force) {
  if (is_same_program(program, target)) return std::nullopt;
  const std::string text =
      fmt::format("{} has changed since the recording (rebuilt?)", target.path);
  if (!force) return Error{Exit::program_changed, text + ": pass --force to try anyway"};
  note(text + ": trying anyway");
  return std::nullopt;
}

}  // namespace

Result<FoundProgram> find_recorded_program(const RecordedProgram& program, bool force) {
  bool moved = false;
  Result<Target> target = find_program(program, moved);
  if (!target) return target.error();
  if (MaybeError error = check_unchanged(program, *target, force)) return *error;
  return FoundProgram{std::move(*target), moved};
}

LaunchPlan plan_recorded(const Recording& recording, const FoundProgram& found) {
  LaunchPlan plan{found.target.absolute, {recording.program.given}};
  plan.arguments.insert(plan.arguments.end(), recording.program.arguments.begin(),
                        recording.program.arguments.end());
  plan.check = recording.program.check;
  std::error_code error;
  const std::string here = std::filesystem::current_path(error);
  if (found.moved || here == recording.program.directory) return plan;
  if (std::filesystem::is_directory(recording.program.directory, error)) {
    plan.directory = recording.program.directory;
  } else {
    note(fmt::format("{} is gone: runs in the current directory", recording.program.directory));
  }
  return plan;
}

}  // namespace jostle::cli
