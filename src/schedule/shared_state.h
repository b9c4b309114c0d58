// SPDX-License-Identifier: Apache-2.0
// What all threads see although it is no memory of theirs: the objects of OpKind::state_read and
// OpKind::state_write. No memory has such addresses.
#pragma once

#include <cstdint>
#include <string_view>

namespace jostle {

inline constexpr uintptr_t kSharedStates = 0x8000'5354'4154'4500;
enum class SharedState : uintptr_t {
  file_names = kSharedStates,
  working_directory = kSharedStates + 16,
  file_mask = kSharedStates + 32,
  file_content = kSharedStates + 48,
  environment = kSharedStates + 64,
  descriptors = kSharedStates + 80,
  mappings = kSharedStates + 96,
};
constexpr bool is_shared_state(uintptr_t object) {
  return object >= kSharedStates && object <= static_cast<uintptr_t>(SharedState::mappings);
}

// Files others change, too.
constexpr bool is_of_this_process(uintptr_t object) {
  return is_shared_state(object) && object != static_cast<uintptr_t>(SharedState::file_names) &&
         object != static_cast<uintptr_t>(SharedState::file_content);
}

constexpr std::string_view words(SharedState state) {
  switch (state) {
    case SharedState::file_names:
      return "names of files";
    case SharedState::working_directory:
      return "the working directory";
    case SharedState::file_mask:
      return "the mask of new files";
    case SharedState::file_content:
      return "a file";
    case SharedState::environment:
      return "the environment";
    case SharedState::descriptors:
      return "numbers of descriptors";
    case SharedState::mappings:
      return "mapped memory";
  }
  return "the process";
}

}  // namespace jostle
