// SPDX-License-Identifier: Apache-2.0
// Two writers of pairs, a reader of snapshots and a compaction in the background.
#include <leveldb/db.h>
#include <leveldb/write_batch.h>
#include <stdlib.h>

#undef NDEBUG
#include <cassert>
#include <string>
#include <thread>

static leveldb::DB* db;

static void write_pairs(std::string name) {
  for (int i = 0; i < 2; ++i) {
    leveldb::WriteBatch both;
    both.Put("left", name + std::to_string(i));
    both.Put("right", name + std::to_string(i));
    assert(db->Write(leveldb::WriteOptions(), &both).ok());
  }
}

static void read_pair() {
  leveldb::ReadOptions options;
  options.snapshot = db->GetSnapshot();
  std::string left, right;
  const bool found = db->Get(options, "left", &left).ok();
  assert(db->Get(options, "right", &right).ok() == found && left == right);
  db->ReleaseSnapshot(options.snapshot);
}

int main() {
  char folder[] = "leveldb.XXXXXX";
  assert(mkdtemp(folder) != nullptr);
  leveldb::Options options;
  options.create_if_missing = true;
  assert(leveldb::DB::Open(options, folder, &db).ok());
  std::thread first(write_pairs, "a"), second(write_pairs, "b"), reader(read_pair);
  db->CompactRange(nullptr, nullptr);
  first.join();
  second.join();
  reader.join();
  delete db;
}
