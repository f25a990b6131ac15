#include "workloads/onnx/proto_tensor.h"

#include <fmt/format.h>

namespace heliolite::onnx {
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
