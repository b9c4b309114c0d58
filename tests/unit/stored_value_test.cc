// SPDX-License-Identifier: Apache-2.0
#include "src/report/symbols/stored_value.h"

#include <dwarf.h>
#include <gtest/gtest.h>

#include <vector>

namespace jostle::report {
namespace {

Dwarf_Op operation(uint8_t atom, uint64_t number = 0) {
  Dwarf_Op op{};
  op.atom = atom;
  op.number = number;
  return op;
}

TEST(StoredValue, IsComputedAsTheDebugInformationSays) {
  const std::vector<Dwarf_Op> location = {
      operation(DW_OP_deref_size, 1), operation(DW_OP_constu, 42), operation(DW_OP_mul),
      operation(DW_OP_lit0),          operation(DW_OP_plus),       operation(DW_OP_stack_value)};
  const StoredValue stored(location);
  EXPECT_EQ(stored.size(), 1u);
  EXPECT_EQ(stored.value(0), 0u);
  EXPECT_EQ(stored.value(1), 42u);
}

TEST(StoredValue, WrapsAroundForNegativeNumbers) {
  const std::vector<Dwarf_Op> location = {
      operation(DW_OP_deref_size, 1), operation(DW_OP_constu, 0xffffffff0000000c),
      operation(DW_OP_mul),           operation(DW_OP_constu, 0xfffffff9),
      operation(DW_OP_plus),          operation(DW_OP_stack_value)};
  const StoredValue stored(location);
  EXPECT_EQ(static_cast<int32_t>(stored.value(0).value()), -7);
  EXPECT_EQ(static_cast<int32_t>(stored.value(1).value()), 5);
}

TEST(StoredValue, IsNotKnownWhereALocationIsNotUnderstood) {
  const std::vector<std::vector<Dwarf_Op>> locations = {
      {},
      {operation(DW_OP_stack_value)},
      {operation(DW_OP_deref_size, 3), operation(DW_OP_stack_value)},
      {operation(DW_OP_deref_size, 1), operation(DW_OP_mul), operation(DW_OP_stack_value)},
      {operation(DW_OP_deref_size, 1), operation(DW_OP_lit1), operation(DW_OP_stack_value)},
      {operation(DW_OP_deref_size, 1), operation(DW_OP_call_frame_cfa),
       operation(DW_OP_stack_value)},
      {operation(DW_OP_deref_size, 1), operation(DW_OP_lit1), operation(DW_OP_plus)}};
  for (const std::vector<Dwarf_Op>& location : locations) {
    EXPECT_EQ(StoredValue(location).size(), 0u);
  }
}

}  // namespace
}  // namespace jostle::report
