// SPDX-License-Identifier: Apache-2.0
// What OpKind::io_write does to a descriptor, where that is not writing: the operation's size.
#pragma once

#include <cstdint>

namespace jostle {

inline constexpr uint32_t kClosesDescriptor = 1, kChangesDescriptor = 2;

}  // namespace jostle
