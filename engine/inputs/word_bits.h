#pragma once
// The sizes of tensors' words as a file or a user states them.
#include <optional>
#include <string>
#include <vector>

#include "engine/base/types.h"

namespace heliolite {

// Bits of the words of the tensors that a selector names: "all", a role, or a tensor's name
// (workloads/tensor_selector.h).
struct TensorBits {
  std::string tensors;
  u64 bits = 0;
};

// What a user says of all workloads that are read (--word-bits).
enum class WordBitsSource : u8 {
  File,   // as the file says
  None,   // a level's words, whatever the file says
  Types,  // the element types of an ONNX model
  Given,  // the sizes that are given; the file's for other tensors
};

struct WordBits {
  WordBitsSource source = WordBitsSource::File;
  std::vector<TensorBits> given{};
};

}  // namespace heliolite
