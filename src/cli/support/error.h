// SPDX-License-Identifier: Apache-2.0
// How the command ends: its exit codes and errors as values.
//
// A function that can fail returns Result<T>; one with nothing to return gives MaybeError. The
// message is one lower-case line without the leading "jostle: " and says what happened and what to
// type next. The table for users is docs/exit-codes.md.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <variant>

namespace jostle::cli {

enum class Exit : int {
  ok = 0,                  // nothing found, or all is well
  not_well = 1,            // doctor: something is not
  usage = 2,               // unknown option, missing argument, bad value
  missing = 3,             // no such program
  not_a_program = 4,       // a directory, a script, no ELF file
  not_executable = 5,      // permission
  architecture = 6,        // a program for another processor
  static_program = 7,      // statically linked
  set_id = 8,              // set-uid, set-gid or file capabilities
  foreign_runtime = 9,     // clang's own thread sanitizer is linked in
  output = 10,             // output cannot be written
  replay_unreadable = 11,  // no such replay file, or no permission
  replay_invalid = 12,     // truncated, no JSON, another format, edited out of shape
  replay_newer = 13,       // written by a newer version
  program_changed = 14,    // rebuilt since the recording
  no_start = 15,           // libjostle.so missing, exec failed, the runtime did not attach
  unsupported = 16,        // the program does what cannot be controlled
  incomplete = 20,         // verify: not all executions were explored
  internal = 70,           // a bug of ours
  found = 77,              // a failure was found, or showed again
  diverged = 78,           // the replay did not follow the recording
  not_reproduced = 79,     // the schedule was followed, but the run ended otherwise
  interrupted = 130,       // Ctrl-C before anything was found
};

struct Error {
  Exit code;
  std::string message;
};

using MaybeError = std::optional<Error>;

template <typename T>
class [[nodiscard]] Result {
 public:
  Result(T value) : state_(std::in_place_index<0>, std::move(value)) {}
  Result(Error error) : state_(std::in_place_index<1>, std::move(error)) {}

  bool ok() const { return state_.index() == 0; }
  explicit operator bool() const { return ok(); }
  T& operator*() { return std::get<0>(state_); }
  const T& operator*() const { return std::get<0>(state_); }
  T* operator->() { return &std::get<0>(state_); }
  const T* operator->() const { return &std::get<0>(state_); }
  const Error& error() const { return std::get<1>(state_); }

 private:
  std::variant<T, Error> state_;
};

// Prints "jostle: <message>" to stderr and gives the exit code.
int fail(const Error& error);

// One line to stderr, with "jostle: " in front. For notes that are no errors.
void note(const std::string& message);

}  // namespace jostle::cli
