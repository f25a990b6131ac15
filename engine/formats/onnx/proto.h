#pragma once
// The messages of an ONNX file that say what is computed, as they stand there: no shapes are inferred, no names looked
// up. Texts are views into the file. Contents of tensors stay where they are, but for short ones.
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "engine/base/types.h"

namespace heliolite::onnx {

inline constexpr std::size_t kMaxNodes = 1'000'000;
inline constexpr int kMaxNesting = 32;           // subgraphs and functions in each other
inline constexpr std::size_t kMaxFileRank = 16;  // of a tensor
inline constexpr std::size_t kMaxNameBytes = 65536;
inline constexpr std::size_t kReadElements = 1024;  // longer lists of a tensor's values are weights, and skipped

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

struct Graph;

// TensorProto::DataType, of those that shapes are computed from.
enum DataType : i64 { kFloat = 1, kUint8 = 2, kInt8 = 3, kInt32 = 6, kInt64 = 7, kBool = 9, kDouble = 11 };

// TensorProto: a constant.
struct TensorData {
  std::string_view name;
  std::vector<i64> dims;
  i64 type = 0;
  std::string_view raw;       // little-endian contents; not looked at unless the tensor is short
  std::vector<i64> integers;  // contents as int32 or int64
  std::vector<double> reals;  // contents as float or double
  bool external = false;      // in another file, which is never opened
};

struct Dim {
  bool known = false;
  i64 size = 0;
  std::string_view name;  // name of an unknown size; may be empty
};

// ValueInfoProto: what the file says about a tensor.
struct ValueInfo {
  std::string_view name;
  bool is_tensor = false;
  bool has_shape = false;
  i64 element = 0;  // DataType; 0: unknown
  std::vector<Dim> dims;
};

// AttributeProto::AttributeType.
enum class AttributeType : u8 { None = 0, Float = 1, Int = 2, String = 3, Tensor = 4, Graph = 5, Floats = 6, Ints = 7 };

struct Attribute {
  std::string_view name;
  i64 type = 0;  // as the file says
  float f = 0;
  i64 i = 0;
  std::string_view s;
  std::unique_ptr<TensorData> t;
  std::unique_ptr<Graph> g;
  std::vector<double> floats;
  std::vector<i64> ints;
  std::string_view reference;  // in a function: the attribute of the call that it stands for
};

struct Node {
  std::string_view name, op, domain;  // domain "ai.onnx" is read as ""
  std::vector<std::string_view> inputs, outputs;
  std::vector<Attribute> attributes;
};

struct Graph {
  std::string_view name;
  std::vector<Node> nodes;
  std::vector<TensorData> initializers;  // sparse ones too
  std::vector<ValueInfo> inputs, outputs, values;
};

// OperatorSetIdProto.
struct Opset {
  std::string_view domain;
  i64 version = 0;
};

struct Function {
  std::string_view name, domain;
  std::vector<std::string_view> inputs, outputs;
  std::vector<Node> nodes;
  std::vector<Attribute> defaults;
  std::vector<Opset> opsets;
};

struct Model {
  i64 ir_version = 0;
  std::string_view producer;
  Graph graph;
  std::vector<Opset> opsets;
  std::vector<Function> functions;
};

// The file's model; whether it could be read is in wire.error().
Model read_model(Wire& wire);

// Messages about tensors: constants, and what a file says about shapes.

TensorData read_tensor(Wire& wire, std::string_view bytes);
TensorData read_sparse_tensor(Wire& wire, std::string_view bytes);  // the dense tensor that it stands for
ValueInfo read_value_info(Wire& wire, std::string_view bytes);

// A text that names something; an error of the wire if it is longer than 64 KiB.
std::string_view name_of(Wire& wire, const Field& field);

}  // namespace heliolite::onnx
