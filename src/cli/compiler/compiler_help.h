// SPDX-License-Identifier: Apache-2.0
// What `jostle help cc` and their manual pages say: `jostle cc --help` itself is the compiler's.
#pragma once

#include "src/cli/compiler/compiler_wrapper.h"
#include "src/cli/options/command_help.h"

namespace jostle::cli {

CommandHelp compiler_help(Language language);

}  // namespace jostle::cli
