#pragma once
// Protobuf's wire format: a message is a sequence of fields, each a key (number and wire type, a varint) and a value.
// The reader walks over bytes in place and copies nothing; every length is checked against what is left of the
// message, so nothing is ever allocated because a file says so.
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "engine/base/types.h"

namespace heliolite::onnx {

// What is wrong with the bytes, and where.
struct WireError {
  std::size_t offset = 0;  // from the beginning of the file
  std::string what;
};

// One field; the wire type says whether `value` or `bytes` means something.
struct Field {
  enum class Type : u8 { Varint = 0, Fixed64 = 1, Bytes = 2, Fixed32 = 5 };

  u32 number = 0;
  Type type = Type::Varint;
  u64 value = 0;           // Varint, Fixed64, Fixed32: as it stands
  std::string_view bytes;  // Bytes
};

// The bytes of a file, and the first thing found wrong with them; all readers of its messages share it.
class Wire {
 public:
  explicit Wire(std::string_view file) : file_(file) {}

  std::string_view file() const { return file_; }
  const std::optional<WireError>& error() const { return error_; }
  void fail(const char* where, std::string what);  // `where` points into the file
  bool ok() const { return !error_; }

 private:
  std::string_view file_;
  std::optional<WireError> error_;
};

// The fields of one message, in the order of the file.
class Fields {
 public:
  Fields(Wire& wire, std::string_view message) : wire_(wire), rest_(message) {}

  bool next(Field& field);  // false at the end, and once anything is wrong

 private:
  std::optional<u64> varint();
  std::optional<u64> fixed(std::size_t bytes);

  Wire& wire_;
  std::string_view rest_;
};

// Scalars of a field; a wrong wire type is an error of the wire.
i64 as_integer(Wire& wire, const Field& field);
float as_float(Wire& wire, const Field& field);
std::string_view as_bytes(Wire& wire, const Field& field);

// A repeated scalar comes packed into one field or as a field each: appends what this field holds, up to `most`
// elements of `into` in all; the others are skipped.
void append_integers(Wire& wire, const Field& field, std::size_t most, std::vector<i64>& into);
void append_floats(Wire& wire, const Field& field, std::size_t most, std::vector<double>& into);
void append_doubles(Wire& wire, const Field& field, std::size_t most, std::vector<double>& into);

}  // namespace heliolite::onnx
