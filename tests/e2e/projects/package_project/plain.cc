int main() { return 0; }

// SPDX-License-Identifier: Apache-2.0
