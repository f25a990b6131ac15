#include "engine/formats/onnx/proto.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <limits>

#include "engine/base/integers.h"

namespace heliolite::onnx {
namespace {

constexpr u32 kLongestVarint = 10;  // bytes of 7 bits for 64 bits
constexpr u64 kLargestNumber = (u64{1} << 29) - 1;

u64 little_endian(std::string_view bytes) {
  u64 value = 0;
  for (std::size_t i = bytes.size(); i-- > 0;) value = value << 8 | static_cast<unsigned char>(bytes[i]);
  return value;
}

// Takes a number of 7 bits a byte off the front.
std::optional<u64> take_varint(std::string_view& rest) {
  u64 value = 0;
  const std::size_t longest = std::min<std::size_t>(rest.size(), kLongestVarint);
  for (std::size_t i = 0; i < longest; ++i) {
    const u64 byte = static_cast<unsigned char>(rest[i]);
    value |= (byte & 0x7f) << (7 * i);
    if (byte < 0x80) {
      rest.remove_prefix(i + 1);
      return value;
    }
  }
  return std::nullopt;
}

// Appends the elements of `width` bytes each that a packed field, or a field of one, holds.
template <class Convert>
void append_fixed(Wire& wire, const Field& field, std::size_t width, std::size_t most, std::vector<double>& into,
                  const Convert& convert) {
  if (field.type != Field::Type::Bytes) {
    if (into.size() < most) into.push_back(convert(field.value));
    return;
  }
  if (field.bytes.size() % width != 0)
    return wire.fail(field.bytes.data(), fmt::format("{} bytes of numbers of {} bytes", field.bytes.size(), width));
  for (std::size_t i = 0; i < field.bytes.size() && into.size() < most; i += width)
    into.push_back(convert(little_endian(field.bytes.substr(i, width))));
}

}  // namespace

void Wire::fail(const char* where, std::string what) {
  if (error_) return;
  error_ = WireError{at(where - file_.data()), std::move(what)};
}

std::optional<u64> Fields::varint() {
  const char* begin = rest_.data();
  const std::optional<u64> value = take_varint(rest_);
  if (!value) wire_.fail(begin, "no number of up to 10 bytes, or the message ends within it");
  return value;
}

std::optional<u64> Fields::fixed(std::size_t bytes) {
  if (rest_.size() < bytes) {
    wire_.fail(rest_.data(), "the file ends within a number");
    return std::nullopt;
  }
  const u64 value = little_endian(rest_.substr(0, bytes));
  rest_.remove_prefix(bytes);
  return value;
}

bool Fields::next(Field& field) {
  if (rest_.empty() || !wire_.ok()) return false;
  const char* begin = rest_.data();
  const std::optional<u64> key = varint();
  if (!key) return false;
  const u64 number = *key >> 3, type = *key & 7;
  if (number == 0 || number > kLargestNumber) {
    wire_.fail(begin, fmt::format("no field has the number {}", number));
    return false;
  }
  field.number = static_cast<u32>(number);
  std::optional<u64> value;
  switch (type) {
    case 0: value = varint(); break;
    case 1: value = fixed(8); break;
    case 2: value = varint(); break;
    case 5: value = fixed(4); break;
    default: wire_.fail(begin, fmt::format("wire type {} of field {} is none of 0, 1, 2 and 5", type, number));
  }
  if (!value) return false;
  field.type = static_cast<Field::Type>(type);
  field.value = *value;
  field.bytes = {};
  if (field.type == Field::Type::Bytes) {
    if (*value > rest_.size()) {
      wire_.fail(begin, fmt::format("field {} has {} bytes, only {} are left", number, *value, rest_.size()));
      return false;
    }
    field.bytes = rest_.substr(0, *value);
    rest_.remove_prefix(*value);
  }
  return true;
}

i64 as_integer(Wire& wire, const Field& field) {
  if (field.type == Field::Type::Bytes)
    wire.fail(field.bytes.data(), fmt::format("field {} is no integer", field.number));
  return std::bit_cast<i64>(field.value);
}

namespace {

float as_float(Wire& wire, const Field& field) {
  if (field.type == Field::Type::Bytes)
    wire.fail(field.bytes.data(), fmt::format("field {} is no number", field.number));
  return std::bit_cast<float>(static_cast<u32>(field.value));
}

std::string_view as_bytes(Wire& wire, const Field& field) {
  if (field.type != Field::Type::Bytes)
    wire.fail(wire.file().data(), fmt::format("a field {} is a number, must be text or a message", field.number));
  return field.bytes;
}

void append_integers(Wire& wire, const Field& field, std::size_t most, std::vector<i64>& into) {
  if (field.type != Field::Type::Bytes) {
    if (into.size() < most) into.push_back(std::bit_cast<i64>(field.value));
    return;
  }
  std::string_view rest = field.bytes;
  while (!rest.empty() && into.size() < most) {
    const char* begin = rest.data();
    const std::optional<u64> value = take_varint(rest);
    if (!value) return wire.fail(begin, "a list of numbers ends within one");
    into.push_back(std::bit_cast<i64>(*value));
  }
}

void append_floats(Wire& wire, const Field& field, std::size_t most, std::vector<double>& into) {
  append_fixed(wire, field, 4, most, into, [](u64 bits) { return std::bit_cast<float>(static_cast<u32>(bits)); });
}

// A repeated scalar comes packed into one field or as a field each: appends what this field holds, up to `most`
// elements of `into` in all; the others are skipped.
void append_doubles(Wire& wire, const Field& field, std::size_t most, std::vector<double>& into) {
  append_fixed(wire, field, 8, most, into, [](u64 bits) { return std::bit_cast<double>(bits); });
}

// Reads the messages that contain each other; numbers of fields are those of onnx.proto.
class Reader {
 public:
  explicit Reader(Wire& wire) : wire_(wire) {}

  Model model() {
    Model model;
    each(wire_.file(), [&](const Field& f) {
      switch (f.number) {
        case 1: model.ir_version = as_integer(wire_, f); break;
        case 2: model.producer = name_of(wire_, f); break;
        case 7: graph(as_bytes(wire_, f), model.graph); break;
        case 8: model.opsets.push_back(opset(as_bytes(wire_, f))); break;
        case 25: model.functions.push_back(function(as_bytes(wire_, f))); break;
        default: break;
      }
    });
    return model;
  }

 private:
  template <class Visit>
  void each(std::string_view message, const Visit& visit) {
    Fields fields(wire_, message);
    for (Field field; fields.next(field);) visit(field);
  }

  // Adds to what is there: a message that comes twice in a field for one is merged.
  void graph(std::string_view bytes, Graph& graph) {
    if (++depth_ > kMaxNesting) return wire_.fail(bytes.data(), "graphs nested over 32 deep");
    each(bytes, [&](const Field& f) {
      switch (f.number) {
        case 1: graph.nodes.push_back(node(as_bytes(wire_, f))); break;
        case 2: graph.name = name_of(wire_, f); break;
        case 5: graph.initializers.push_back(read_tensor(wire_, as_bytes(wire_, f))); break;
        case 11: graph.inputs.push_back(read_value_info(wire_, as_bytes(wire_, f))); break;
        case 12: graph.outputs.push_back(read_value_info(wire_, as_bytes(wire_, f))); break;
        case 13: graph.values.push_back(read_value_info(wire_, as_bytes(wire_, f))); break;
        case 15: graph.initializers.push_back(read_sparse_tensor(wire_, as_bytes(wire_, f))); break;
        default: break;
      }
    });
    --depth_;
  }

  Node node(std::string_view bytes) {
    Node node;
    if (++nodes_ > kMaxNodes) wire_.fail(bytes.data(), "more than 1,000,000 nodes");
    each(bytes, [&](const Field& f) {
      switch (f.number) {
        case 1: node.inputs.push_back(name_of(wire_, f)); break;
        case 2: node.outputs.push_back(name_of(wire_, f)); break;
        case 3: node.name = name_of(wire_, f); break;
        case 4: node.op = name_of(wire_, f); break;
        case 5: node.attributes.push_back(attribute(as_bytes(wire_, f))); break;
        case 7: node.domain = domain(f); break;
        default: break;
      }
    });
    return node;
  }

  Attribute attribute(std::string_view bytes) {
    constexpr std::size_t kAll = std::numeric_limits<u32>::max();  // as many as the file has bytes for
    Attribute a;
    each(bytes, [&](const Field& f) {
      switch (f.number) {
        case 1: a.name = name_of(wire_, f); break;
        case 2: a.f = as_float(wire_, f); break;
        case 3: a.i = as_integer(wire_, f); break;
        case 4: a.s = as_bytes(wire_, f); break;
        case 5: a.t = std::make_unique<TensorData>(read_tensor(wire_, as_bytes(wire_, f))); break;
        case 6:
          if (!a.g) a.g = std::make_unique<Graph>();
          graph(as_bytes(wire_, f), *a.g);
          break;
        case 7: append_floats(wire_, f, kAll, a.floats); break;
        case 8: append_integers(wire_, f, kAll, a.ints); break;
        case 20: a.type = as_integer(wire_, f); break;
        case 21: a.reference = name_of(wire_, f); break;
        default: break;
      }
    });
    return a;
  }

  Opset opset(std::string_view bytes) {
    Opset opset;
    each(bytes, [&](const Field& f) {
      if (f.number == 1) opset.domain = domain(f);
      if (f.number == 2) opset.version = as_integer(wire_, f);
    });
    return opset;
  }

  Function function(std::string_view bytes) {
    Function function;
    each(bytes, [&](const Field& f) {
      switch (f.number) {
        case 1: function.name = name_of(wire_, f); break;
        case 4: function.inputs.push_back(name_of(wire_, f)); break;
        case 5: function.outputs.push_back(name_of(wire_, f)); break;
        case 7: function.nodes.push_back(node(as_bytes(wire_, f))); break;
        case 9: function.opsets.push_back(opset(as_bytes(wire_, f))); break;
        case 10: function.domain = domain(f); break;
        case 11: function.defaults.push_back(attribute(as_bytes(wire_, f))); break;
        default: break;
      }
    });
    return function;
  }

  std::string_view domain(const Field& field) {
    const std::string_view text = name_of(wire_, field);
    return text == "ai.onnx" ? std::string_view() : text;
  }

  Wire& wire_;
  int depth_ = 0;
  std::size_t nodes_ = 0;
};

}  // namespace

Model read_model(Wire& wire) { return Reader(wire).model(); }

namespace {

template <class Visit>
void each_field(Wire& wire, std::string_view message, const Visit& visit) {
  Fields fields(wire, message);
  for (Field field; fields.next(field);) visit(field);
}

void check_rank(Wire& wire, std::string_view bytes, std::size_t rank) {
  if (rank > kMaxFileRank) wire.fail(bytes.data(), fmt::format("a tensor of more than {} dimensions", kMaxFileRank));
}

Dim read_dim(Wire& wire, std::string_view bytes) {
  Dim dim;
  each_field(wire, bytes, [&](const Field& f) {
    if (f.number == 1) {
      dim.known = true;
      dim.size = as_integer(wire, f);
    }
    if (f.number == 2) dim.name = name_of(wire, f);
  });
  return dim;
}

// TypeProto.Tensor: an element type and a shape.
void read_tensor_type(Wire& wire, std::string_view bytes, ValueInfo& value) {
  each_field(wire, bytes, [&](const Field& f) {
    if (f.number == 1) value.element = as_integer(wire, f);
    if (f.number != 2) return;
    value.has_shape = true;
    each_field(wire, as_bytes(wire, f), [&](const Field& dim) {
      if (dim.number == 1) value.dims.push_back(read_dim(wire, as_bytes(wire, dim)));
      check_rank(wire, f.bytes, value.dims.size());
    });
  });
}

}  // namespace

std::string_view name_of(Wire& wire, const Field& field) {
  const std::string_view text = as_bytes(wire, field);
  if (text.size() > kMaxNameBytes) wire.fail(text.data(), fmt::format("a name of {} bytes", text.size()));
  return text;
}

TensorData read_tensor(Wire& wire, std::string_view bytes) {
  constexpr std::size_t kMost = kReadElements + 1;  // one too many tells that there are more
  TensorData tensor;
  each_field(wire, bytes, [&](const Field& f) {
    switch (f.number) {
      case 1: append_integers(wire, f, kMaxFileRank + 1, tensor.dims); break;
      case 2: tensor.type = as_integer(wire, f); break;
      case 4: append_floats(wire, f, kMost, tensor.reals); break;
      case 5:
      case 7:
      case 11: append_integers(wire, f, kMost, tensor.integers); break;
      case 8: tensor.name = name_of(wire, f); break;
      case 9: tensor.raw = as_bytes(wire, f); break;
      case 10: append_doubles(wire, f, kMost, tensor.reals); break;
      case 13: tensor.external = true; break;
      case 14: tensor.external = tensor.external || as_integer(wire, f) == 1; break;
      default: break;
    }
  });
  check_rank(wire, bytes, tensor.dims.size());
  return tensor;
}

TensorData read_sparse_tensor(Wire& wire, std::string_view bytes) {
  TensorData tensor;
  each_field(wire, bytes, [&](const Field& f) {
    if (f.number == 1) {
      const TensorData values = read_tensor(wire, as_bytes(wire, f));
      tensor.name = values.name;
      tensor.type = values.type;
    }
    if (f.number == 3) append_integers(wire, f, kMaxFileRank + 1, tensor.dims);
  });
  check_rank(wire, bytes, tensor.dims.size());
  tensor.external = true;  // its contents are of no interest
  return tensor;
}

ValueInfo read_value_info(Wire& wire, std::string_view bytes) {
  ValueInfo value;
  each_field(wire, bytes, [&](const Field& f) {
    if (f.number == 1) value.name = name_of(wire, f);
    if (f.number != 2) return;
    each_field(wire, as_bytes(wire, f), [&](const Field& type) {
      if (type.number != 1) return;
      value.is_tensor = true;
      read_tensor_type(wire, as_bytes(wire, type), value);
    });
  });
  return value;
}

}  // namespace heliolite::onnx
