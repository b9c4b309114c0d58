#include "checksum.h"

int main(void) { return checksum("a", 1) == 0xe40c292cu ? 0 : 1; }

// SPDX-License-Identifier: Apache-2.0
