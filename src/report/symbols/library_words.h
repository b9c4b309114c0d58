// SPDX-License-Identifier: Apache-2.0
// The words by which a program's author knows parts of the standard library's objects: nobody has
// declared `items._M_impl._M_finish`, but everybody knows `items.end`.
#pragma once

#include <optional>
#include <string_view>

namespace jostle::report {

// The word for a member of a class of libstdc++, without template arguments: "end" for `_M_finish`
// of `_Vector_impl_data`. `inner` is what has been found inside of the member, "._M_left" or
// nothing. An empty word: the member is nothing but what it holds. Nothing: there is no such word.
std::optional<std::string_view> library_word(std::string_view owner, std::string_view member,
                                             std::string_view inner);

}  // namespace jostle::report
