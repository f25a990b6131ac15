#pragma once
// Databases of made-up results, and programs that are killed while they write them.
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <functional>
#include <string>

#include "engine/sweep/store.h"
#include "tests/support/sweep_records.h"

namespace heliolite {

// Temporary folders in memory, where there is such a place: thousands of small databases need not wait for the disk.
inline const bool kInMemory = access("/dev/shm", W_OK) == 0 && setenv("TMPDIR", "/dev/shm", 0) == 0;

// The complaints of a Result, "" if there are none.
template <class T>
std::string complaint(const Result<T>& result) {
  return result ? "" : to_string(result.errors());
}

inline Store made(const std::string& path, u64 points = 8) {
  Result<Store> store = Store::create(path, test_sweep());
  EXPECT_EQ(complaint(store), "");
  for (u64 id = 0; id < points; ++id) {
    for (u64 layer = 0; layer < kTestLayers; ++layer) EXPECT_TRUE(store->write(test_layer(id, layer)).empty());
    EXPECT_TRUE(store->write(test_point(id)).empty());
  }
  return *std::move(store);
}

// Ends by the signal that the parent sends, or with the exit code of `work`.
inline pid_t in_child(const std::function<int()>& work) {
  const pid_t child = fork();
  if (child == 0) _exit(work());
  return child;
}

inline int wait_for(pid_t child) {
  int status = 0;
  waitpid(child, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

}  // namespace heliolite
