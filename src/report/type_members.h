// Types of the debug information: their sizes, and what lies where inside of them.
//
// Types of libraries (std::mutex, pthread_cond_t) are not taken apart: a reader knows them by their
// name, not by their members.
#pragma once

#include <elfutils/libdw.h>

#include <cstdint>
#include <string>

namespace jostle::report {

// The type of a variable, a member, or what a pointer points to. False: it has none.
bool type_of(Dwarf_Die& die, Dwarf_Die& type);
// 0: not known.
uint64_t size_of(Dwarf_Die& type);
// Behind typedefs, const and the like. False: one of them is a library's.
bool without_qualifiers(Dwarf_Die& type);

// "[1].balance": what is at this offset. "+8" where nothing is known.
std::string member_text(Dwarf_Die type, uint64_t offset);
std::string plain_offset(uint64_t offset);

}  // namespace jostle::report
