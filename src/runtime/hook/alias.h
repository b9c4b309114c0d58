// SPDX-License-Identifier: Apache-2.0
// A second exported name for a hook: libc has __read beside read. The assembler does it, because
// the attribute of the same name insists on repeating every attribute of libc's declaration.
#pragma once

#define JOSTLE_ALIAS(alias, hook) asm(".globl " #alias "\n.set " #alias ", " #hook)
