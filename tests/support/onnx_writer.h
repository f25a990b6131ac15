#pragma once
// Writes ONNX models for tests: the wire format of protobuf and the few messages that say what is computed. Numbers of
// fields are those of onnx.proto.
#include <cstdint>
#include <cstring>
#include <initializer_list>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace heliolite::onnx_writer {

using Sizes = std::vector<std::int64_t>;
using Texts = std::vector<std::string>;

// A message: fields one after the other.
class Message {
 public:
  Message& integer(unsigned field, std::int64_t value) {
    varint(field << 3);
    varint(static_cast<std::uint64_t>(value));
    return *this;
  }
  Message& real(unsigned field, float value) {
    char four[4];
    std::memcpy(four, &value, sizeof four);
    varint(field << 3 | 5);
    bytes_.append(four, sizeof four);
    return *this;
  }
  Message& text(unsigned field, std::string_view bytes) {
    varint(field << 3 | 2);
    varint(bytes.size());
    bytes_ += bytes;
    return *this;
  }
  Message& message(unsigned field, const Message& inner) { return text(field, inner.bytes_); }
  Message& raw(std::string_view bytes) {
    bytes_ += bytes;
    return *this;
  }
  const std::string& bytes() const { return bytes_; }

  static std::string packed(const Sizes& values) {
    Message m;
    for (const std::int64_t v : values) m.varint(static_cast<std::uint64_t>(v));
    return m.bytes_;
  }

 private:
  void varint(std::uint64_t value) {
    for (; value >= 0x80; value >>= 7) bytes_ += static_cast<char>(value | 0x80);
    bytes_ += static_cast<char>(value);
  }

  std::string bytes_;
};

// A constant without contents, as models come whose weights are in another file.
inline Message weights(const std::string& name, const Sizes& dims, std::int64_t type = 1) {
  Message m;
  for (const std::int64_t d : dims) m.integer(1, d);
  m.integer(2, type).text(8, name).integer(14, 1);
  return m.message(13, Message().text(1, "location").text(2, "/dev/zero"));
}

// A constant of 64-bit integers.
inline Message integers(const std::string& name, const Sizes& dims, const Sizes& values) {
  Message m;
  m.text(1, Message::packed(dims)).integer(2, 7).text(7, Message::packed(values));
  return m.text(8, name);
}

// A constant of a real number.
inline Message real(const std::string& name, const Sizes& dims, const std::vector<float>& values) {
  Message m;
  for (const std::int64_t d : dims) m.integer(1, d);
  std::string raw(values.size() * 4, '\0');
  std::memcpy(raw.data(), values.data(), raw.size());
  return m.integer(2, 1).text(8, name).text(9, raw);
}

// An input or output; sizes are numbers, names, or "" for one without either.
inline Message tensor(const std::string& name, const Texts& dims, std::int64_t type = 1) {
  Message shape;
  for (const std::string& d : dims) {
    Message dim;
    const bool number = !d.empty() && (d[0] == '-' || (d[0] >= '0' && d[0] <= '9'));
    if (number) dim.integer(1, std::stoll(d));
    if (!number && !d.empty()) dim.text(2, d);
    shape.message(1, dim);
  }
  return Message().text(1, name).message(2, Message().message(1, Message().integer(1, type).message(2, shape)));
}

struct Attribute {
  Message message;

  Attribute(const std::string& name, std::int64_t value) { message.text(1, name).integer(3, value).integer(20, 2); }
  Attribute(const std::string& name, int value) : Attribute(name, std::int64_t{value}) {}
  Attribute(const std::string& name, const char* value) { message.text(1, name).text(4, value).integer(20, 3); }
  Attribute(const std::string& name, const Sizes& values) {
    message.text(1, name);
    for (const std::int64_t v : values) message.integer(8, v);
    message.integer(20, 7);
  }
  // A graph, or another message in the given field.
  Attribute(const std::string& name, const Message& inner, unsigned field = 6, int type = 5) {
    message.text(1, name).message(field, inner).integer(20, type);
  }
};

inline Message node(const std::string& op, const Texts& inputs, const Texts& outputs,
                    const std::vector<Attribute>& attributes = {}, const std::string& name = "",
                    const std::string& domain = "") {
  Message m;
  for (const std::string& input : inputs) m.text(1, input);
  for (const std::string& output : outputs) m.text(2, output);
  m.text(3, name.empty() ? outputs.front() : name).text(4, op);
  for (const Attribute& a : attributes) m.message(5, a.message);
  if (!domain.empty()) m.text(7, domain);
  return m;
}

// A graph and what is around it.
struct Model {
  std::vector<Message> nodes, constants, inputs, outputs, functions;
  std::int64_t opset = 17;

  Message graph() const {
    Message g;
    for (const Message& n : nodes) g.message(1, n);
    g.text(2, "g");
    for (const Message& c : constants) g.message(5, c);
    for (const Message& i : inputs) g.message(11, i);
    for (const Message& o : outputs) g.message(12, o);
    return g;
  }
  std::string bytes() const {
    Message m;
    m.integer(1, 8).message(7, graph());
    if (opset > 0) m.message(8, Message().text(1, "").integer(2, opset));
    for (const Message& f : functions) m.message(25, f);
    return m.bytes();
  }
};

}  // namespace heliolite::onnx_writer
