// SPDX-License-Identifier: Apache-2.0
// Types of the debug information: their sizes, and what lies where inside of them.
//
// Types of libraries that a reader knows by their name and not by their members (std::mutex,
// pthread_cond_t, std::barrier) are not taken apart.
#pragma once

#include <elfutils/libdw.h>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "src/report/symbols/stored_value.h"

namespace jostle::report {

inline constexpr int kDeepestType = 32;  // hostile types may contain themselves

// What the program calls it; may be empty.
std::string_view die_name(Dwarf_Die& die);
// The type of a variable, a member, or what a pointer points to. False: it has none.
bool type_of(Dwarf_Die& die, Dwarf_Die& type);
// 0: not known.
uint64_t size_of(Dwarf_Die& type);
// Behind typedefs, const and the like. False: one of them is a library's.
bool without_qualifiers(Dwarf_Die& type);
// The same, a library's or not.
bool bare_type(Dwarf_Die& type);
bool is_structure(Dwarf_Die& type);
// "Connection", "int"; of what has no name, that of a typedef in front of it. May be empty.
std::string type_name(Dwarf_Die type);
// The declaration behind an inlined copy or a definition: it is inside its class.
Dwarf_Die declaration_of(Dwarf_Die die);
// What an entry lies in, from its unit to the innermost. Entries do not know their parents, and
// libdw would look at all of the unit: but they lie in the file as they are nested.
std::vector<Dwarf_Die> scopes_around(Dwarf_Die die);
// The class that a member function belongs to. False: it is none.
bool class_of(Dwarf_Die& function, Dwarf_Die& owner);
bool is_in_std(const Dwarf_Die& die);
// The type that a class or function template was given: the first one. False: none.
bool first_template_type(Dwarf_Die& die, Dwarf_Die& type);

// Memory by the name of the variable that it belongs to.
struct NamedMemory {
  std::string name;                    // "pool.size"; empty: not known
  std::optional<Dwarf_Die> type = {};  // of exactly these bytes
  // Fewer bytes than a variable has, or more, or in a form of which the debug information does not
  // tell: what is in them is not its value.
  bool is_part_of_value = false;
  std::optional<StoredValue> stored = {};  // the value has to be computed
  std::string captured = {};  // it is a lambda's reference to the variable of this name
  bool is_elsewhere = false;  // named by who owns the memory, not by what was allocated
};

// What an access of `size` bytes (0: not known) at some offset of an object touches.
struct PlaceInType {
  std::string text;                     // "[1].balance", to be appended to the object's name
  bool named = true;                    // false: only an offset is known, "+8"
  std::optional<Dwarf_Die> value = {};  // the type of exactly these bytes
  bool is_part_of_value = false;        // see NamedMemory
  std::optional<StoredValue> stored = {};
  std::string captured = {};
  // What a library keeps for the program inside of something of its own (the element in the node
  // of a list): its type's name. `text` counts from there.
  std::string inside = {};
};
NamedMemory named(std::string name, PlaceInType place);
PlaceInType place_in_type(Dwarf_Die type, uint64_t offset, uint32_t size);
// "+8".
std::string plain_offset(uint64_t offset);

}  // namespace jostle::report
