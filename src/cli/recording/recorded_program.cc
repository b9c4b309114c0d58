// SPDX-License-Identifier: Apache-2.0
#include "src/cli/recording/recorded_program.h"

#include <fmt/format.h>

#include <filesystem>

#include "src/cli/support/values.h"
#include "src/report/words/text.h"

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

bool is_of_system(const std::string& path) {
  for (const std::string_view folder : {"/usr/", "/bin/", "/sbin/", "/lib", "/opt/"}) {
    if (path.starts_with(folder)) return true;
  }
  return false;
}

MaybeError check_unchanged(const RecordedProgram& program, const FoundProgram& found,
                           const ProgramChoice& choice) {
  if (is_same_program(program, found.target)) return std::nullopt;
  const std::string text =
      fmt::format("{} has changed since the recording (rebuilt?)", found.target.path);
  const bool rebuilt = choice.may_be_rebuilt && !found.moved;
  if (!choice.force && !rebuilt && choice.path.empty()) {
    return Error{Exit::program_changed, text + ": pass --force to try anyway"};
  }
  if (!choice.quiet) note(text + ": trying anyway");
  return std::nullopt;
}

// A file from elsewhere may name any program of the system. One of the user's own that is exactly
// the recorded one needs no instrumentation.
MaybeError check_built_with_us(const RecordedProgram& program, const Target& target,
                               const ProgramChoice& choice) {
  if (target.instrumented || !choice.path.empty()) return std::nullopt;
  if (!is_of_system(target.absolute) && is_same_program(program, target)) return std::nullopt;
  return Error{Exit::program_changed,
               fmt::format("the file wants to run {}, which was not built with jostle: pass "
                           "--program {} if that is what you want",
                           report::escape(target.path), report::escape(shell_quote(target.path)))};
}

void say_what_runs(const RecordedProgram& program, const FoundProgram& found) {
  std::string text = "runs " + shell_quote(found.target.path);
  for (const std::string& argument : program.arguments) text += " " + shell_quote(argument);
  std::error_code error;
  const std::string here = std::filesystem::current_path(error);
  if (!found.moved && here != program.directory) text += " in " + shell_quote(program.directory);
  note(report::escape(text));
}

}  // namespace

Result<FoundProgram> find_recorded_program(const RecordedProgram& program,
                                           const ProgramChoice& choice) {
  FoundProgram found;
  Result<Target> target =
      choice.path.empty() ? find_program(program, found.moved) : examine_target(choice.path);
  if (!target) return target.error();
  found.target = std::move(*target);
  found.quiet = choice.quiet;
  if (MaybeError error = check_built_with_us(program, found.target, choice)) return *error;
  if (MaybeError error = check_unchanged(program, found, choice)) return *error;
  if (!choice.quiet) say_what_runs(program, found);
  return found;
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
  } else if (!found.quiet) {
    note(fmt::format("{} is gone: runs in the current directory", recording.program.directory));
  }
  return plan;
}

}  // namespace jostle::cli
