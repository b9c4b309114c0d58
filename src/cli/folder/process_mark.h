// SPDX-License-Identifier: Apache-2.0
// Which process a worker is, for others on the same machine: who was killed says nothing more, but
// there it can be seen that the process is gone.
#pragma once

#include <string>
#include <string_view>

namespace jostle::cli {

// Of this process: names the boot of the machine, the namespace of process ids, the id in it and
// when it began. Empty: the system does not say.
std::string own_process_mark();

// That process was of this boot and namespace, and is not there any more. False: it is, or nobody
// here can know.
bool has_ended_here(std::string_view mark);

}  // namespace jostle::cli
