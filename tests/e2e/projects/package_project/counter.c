int counter;

int count(void) { return ++counter; }

// SPDX-License-Identifier: Apache-2.0
