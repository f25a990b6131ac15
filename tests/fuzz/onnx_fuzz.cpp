// The ONNX reader as libFuzzer calls it: docs/testing.md. An empty folder among the arguments gets the models of the
// mutation test, which the fuzzer then changes.
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "tests/support/onnx_digest.h"

extern "C" int LLVMFuzzerInitialize(int* count, char*** arguments);
extern "C" int LLVMFuzzerTestOneInput(const unsigned char* bytes, std::size_t size);

int LLVMFuzzerInitialize(int* count, char*** arguments) {
  namespace fs = std::filesystem;
  for (int i = 1; i < *count; ++i) {
    const fs::path folder = (*arguments)[i];
    std::error_code ignored;
    if (!fs::is_directory(folder, ignored) || !fs::is_empty(folder, ignored)) continue;
    int number = 0;
    for (const std::string& model : heliolite::onnx_models::fuzz_seeds())
      std::ofstream(folder / ("seed" + std::to_string(number++) + ".onnx"), std::ios::binary) << model;
  }
  return 0;
}

int LLVMFuzzerTestOneInput(const unsigned char* bytes, std::size_t size) {
  const std::string problem = heliolite::onnx_models::digest({reinterpret_cast<const char*>(bytes), size});
  if (problem.empty()) return 0;
  std::fprintf(stderr, "%s\n", problem.c_str());
  std::abort();
}
