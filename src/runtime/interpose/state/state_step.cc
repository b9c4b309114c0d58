// SPDX-License-Identifier: Apache-2.0
#include "src/runtime/interpose/state/state_step.h"

#include <fcntl.h>
#include <string.h>

#include "src/base/hash.h"
#include "src/runtime/hook/hook.h"
#include "src/runtime/memory/access.h"
#include "src/runtime/memory/actions.h"
#include "src/runtime/memory/races.h"
#include "src/runtime/memory/sharing.h"
#include "src/runtime/modules/modules.h"

namespace jostle::rt {
namespace {

constexpr uint64_t kListing = 0x6C697374;

uint64_t name_of(SharedState state) { return combine(0x7374617465, static_cast<uint64_t>(state)); }

// One component of a path, whatever leads there: the same folder has many paths.
uint64_t name_of(SharedState state, const char* begin, size_t size) {
  uint64_t hash = name_of(state);
  for (size_t i = 0; i < size; ++i) hash = combine(hash, static_cast<unsigned char>(begin[i]));
  return hash;
}

void uses(Act act, uint64_t name) { g_actions.act_apart(act, name); }

// Who finds a file that another thread has made or renamed, or makes it again where another has
// removed it (a lock), comes after it. No address; files of one name count as one.
uintptr_t order_by_name(const char* path) {
  size_t size = strlen(path);
  while (size > 0 && path[size - 1] == '/') --size;
  const auto* slash = static_cast<const char*>(memrchr(path, '/', size));
  const char* last = slash ? slash + 1 : path;
  constexpr uint64_t kSome = 0xFFF;
  const uint64_t name = name_of(SharedState::file_names, last, path + size - last);
  return uintptr_t{5} << 60 | (name & kSome) << 4;
}

}  // namespace

StateStep::StateStep(OpKind kind, SharedState state, uintptr_t pc) {
  // Our own code asks for files, too.
  if (!controlled() || !several_threads() || is_own_code(pc)) return;
  g_scheduler.reach({.kind = kind, .object = static_cast<uintptr_t>(state), .pc = pc});
  is_taken_ = true;
  is_noted_ = g_actions.active();
}

void StateStep::uses_path(int directory, const char* path, bool changes) {
  if (path[0] != '/' && directory == AT_FDCWD) looks(SharedState::working_directory);
  const char* last = nullptr;
  size_t last_size = 0;
  for (const char* p = path; *p;) {
    const size_t size = strcspn(p, "/");
    if (size > 0 && !(size == 1 && *p == '.')) {
      if (last) uses(Act::read, name_of(SharedState::file_names, last, last_size));
      last = p, last_size = size;
    }
    p += size;
    while (*p == '/') ++p;
  }
  if (last) {
    uses(changes ? Act::write : Act::read, name_of(SharedState::file_names, last, last_size));
  }
}

StateStep& StateStep::looks_at(int directory, const char* path) {
  if (is_taken_ && path) g_races.acquire(order_by_name(path));
  if (is_noted_ && path) uses_path(directory, path, false);
  return *this;
}

StateStep& StateStep::changes(int directory, const char* path) {
  if (is_taken_ && path) {
    g_races.acquire(order_by_name(path));
    g_races.release(order_by_name(path));
  }
  if (is_noted_ && path) uses_path(directory, path, true);
  return *this;
}

// Two that make or remove different files in one folder do not meet, but in a listing.
StateStep& StateStep::makes_or_removes(int directory, const char* path) {
  if (is_noted_) {
    uses(Act::post, kListing);
    looks(SharedState::file_mask);
  }
  return changes(directory, path);
}

StateStep& StateStep::lists() {
  if (is_noted_) uses(Act::read, kListing);
  return *this;
}

StateStep& StateStep::looks_at_content() {
  if (is_noted_) g_actions.act_outside(Act::read);
  return *this;
}

StateStep& StateStep::changes_content() {
  if (is_noted_) g_actions.act_outside(Act::write);
  return *this;
}

StateStep& StateStep::looks(SharedState state) {
  if (is_noted_) uses(Act::read, name_of(state));
  return *this;
}

StateStep& StateStep::changes(SharedState state) {
  if (is_noted_) uses(Act::write, name_of(state));
  return *this;
}

StateStep& StateStep::looks_at_variable(const char* name) {
  if (!is_noted_ || !name) return *this;
  uses(Act::read, name_of(SharedState::environment, name, strcspn(name, "=")));
  return looks(SharedState::environment);
}

StateStep& StateStep::changes_variable(const char* name) {
  if (!is_noted_ || !name) return *this;
  uses(Act::write, name_of(SharedState::environment, name, strcspn(name, "=")));
  return looks(SharedState::environment);
}

StateStep& StateStep::empties(const void* begin, size_t size) {
  if (is_noted_) note_emptied(reinterpret_cast<uintptr_t>(begin), size);
  return *this;
}

StateStep& StateStep::moves_in(const volatile void* stream) {
  if (is_noted_) g_actions.act(Act::write, stream);
  return looks_at_content();
}

void has_made_descriptor() {
  if (g_actions.active() && several_threads()) uses(Act::write, name_of(SharedState::descriptors));
}

void has_closed_descriptor() {
  if (g_actions.active() && several_threads()) uses(Act::post, name_of(SharedState::descriptors));
}

}  // namespace jostle::rt
