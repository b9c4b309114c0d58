// Where the program's own mappings lie.
#pragma once

#include <cstdint>

namespace jostle::rt {

// Behind the last mapping whose address we chose.
uintptr_t program_mappings_end();

}  // namespace jostle::rt
