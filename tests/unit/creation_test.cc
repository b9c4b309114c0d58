// SPDX-License-Identifier: Apache-2.0
#include "src/report/words/creation.h"

#include <gtest/gtest.h>

#include "src/report/model/library_wait.h"

namespace jostle::report {
namespace {

std::string created(const std::string& line) {
  const Creation creation = creation_in(line);
  return (creation.is_variable ? "*" : "") + creation.what + (creation.is_array ? "[]" : "");
}

TEST(Creation, IsReadFromTheSource) {
  EXPECT_EQ(created("auto* c = new Connection(7);"), "Connection");
  EXPECT_EQ(created("slots_ = new net::Slot[8];"), "Slot[]");
  EXPECT_EQ(created("return new Node<int>{value};"), "Node<int>");
  EXPECT_EQ(created("int* n = new int;"), "int");
  EXPECT_EQ(created("struct node *n = malloc(sizeof(struct node));"), "node[]");
  EXPECT_EQ(created("n = calloc(4, sizeof *n);"), "*n[]");
  EXPECT_EQ(created("n = malloc(sizeof(*n));"), "*n[]");
}

TEST(Creation, OfAMappingIsWhatItIsAssignedTo) {
  EXPECT_EQ(created("box = mmap(0, sizeof(struct Box), PROT_READ, MAP_SHARED, -1, 0);"), "Box[]");
  EXPECT_EQ(created("auto* b = static_cast<Box*>(mmap(nullptr, size, 3, 1, -1, 0));"), "Box");
  EXPECT_EQ(created("auto b = (Box*)::mmap(nullptr, size, 3, 1, -1, 0);"), "Box");
  EXPECT_EQ(created("struct Box *b = mmap(0, size, 3, 1, -1, 0);"), "Box");
  EXPECT_EQ(created("if ((box = mmap(0, size, 3, 1, -1, 0)) == MAP_FAILED) return 1;"), "*box");
  EXPECT_EQ(created("arena->base = mmap(0, size, 3, 1, -1, 0);"), "");
  EXPECT_EQ(created("return mmap(0, size, 3, 1, -1, 0);"), "");
}

TEST(Creation, WhatIsNotCertainIsNothing) {
  EXPECT_EQ(created("a = new A, b = new B;"), "");
  EXPECT_EQ(created("pointers = new Node*[4];"), "");
  EXPECT_EQ(created("p = new (place) Node;"), "");
  EXPECT_EQ(created("n = malloc(sizeof(struct node *));"), "");
  EXPECT_EQ(created("n = malloc(sizeof *list->head);"), "");
  EXPECT_EQ(created("newest = renew(sizeof(int));"), "");
}

TEST(LibraryFunction, IsTheOneThatProgramsCall) {
  EXPECT_EQ(public_function("std::counting_semaphore<4l>::acquire()"),
            "std::counting_semaphore::acquire");
  EXPECT_EQ(public_function("std::__basic_future<int>::wait() const"), "std::future::wait");
  EXPECT_EQ(public_function("std::__atomic_semaphore::_M_acquire()"), "");
  EXPECT_EQ(public_function("std::__detail::__waiter_base<int>::_S_spin()"), "");
  EXPECT_EQ(public_function("Pool::acquire()"), "");
}

}  // namespace
}  // namespace jostle::report
