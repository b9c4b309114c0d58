// SPDX-License-Identifier: Apache-2.0
// What the expression in a line of source allocates memory for.
#pragma once

#include <string>

namespace jostle::report {

// What a line of source creates: "Slot" of "slots = new Slot[8];". `is_variable`: the type is what
// the pointer of that name points to ("malloc(sizeof *node)"). Empty: nothing, or several things.
struct Creation {
  std::string what;
  bool is_variable = false;
  bool is_array = false;
  bool by_new = false;
  bool has_more_room = false;  // whole pages: the type may be smaller than the block
};
Creation creation_in(const std::string& line);

}  // namespace jostle::report
