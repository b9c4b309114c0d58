// SPDX-License-Identifier: Apache-2.0
// Where the debug information of a module is when it is not in the module: elfutils' own search,
// but without the network client when nobody has asked for it.
//
// dwfl_standard_find_debuginfo ends at a debuginfod server if everything else failed. Without
// DEBUGINFOD_URLS that comes to nothing, but only after the client and the two dozen libraries it
// is made of have been loaded: for every command that shows a frame of a stripped library.
#pragma once

#include <elfutils/libdwfl.h>

namespace jostle::report {

// For Dwfl_Callbacks::find_debuginfo.
int find_debug_file(Dwfl_Module* module, void** userdata, const char* module_name, Dwarf_Addr base,
                    const char* file, const char* link, GElf_Word link_crc, char** found);

}  // namespace jostle::report
