// SPDX-License-Identifier: Apache-2.0
// What the kernel tells of the machine as a whole, in /proc/stat and its like: how busy it is,
// since when, with how many processes. What others do there changes it at any moment, even its
// length.
#pragma once

namespace jostle::rt {

// A descriptor of a file with the same figures in every run: those of a machine on which nobody is
// but the program. -1: the path is no such file, or there is no descriptor.
int open_machine_figures(const char* path, int flags);

}  // namespace jostle::rt
