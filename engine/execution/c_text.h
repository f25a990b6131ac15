#pragma once
// The pieces of an emitted program that refer to a nest's variables and arrays.
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "engine/execution/emit_c.h"

namespace heliolite {

// Names of a workload as C identifiers.

// Gives each name an identifier of its own: other characters become underscores, and names longer than a letter end in
// one, so that none is a word of C, or a function, a type or a macro of a library (malloc, EOF), now or later.
class CNames {
 public:
  std::string unique(std::string_view name);

 private:
  std::set<std::string, std::less<>> taken_{"i"};  // of the emitted program: a loop's variable
};

// Lines with their indentation.
class CLines {
 public:
  void line(const std::string& text) { text_ += text.empty() ? "\n" : std::string(2 * depth_, ' ') + text + "\n"; }
  void open(const std::string& text) {
    line(text.empty() ? "{" : text + " {");
    ++depth_;
  }
  void close(const char* end = "}") {
    --depth_;
    line(end);
  }
  std::string take() { return std::move(text_); }

 private:
  std::string text_;
  std::size_t depth_ = 0;
};

// Names and expressions of one nest.
class CNest {
 public:
  CNest(const LoopNest& nest, const EmitOptions& options);

  const LoopNest& nest() const { return nest_; }
  const EmitOptions& options() const { return options_; }

  const std::string& array(int a) const { return arrays_[a]; }
  const std::string& expected() const { return expected_; }  // the output of the plain loops
  const std::string& variable(std::size_t v) const { return variables_[v]; }
  // The variable of loop i of the part, over tiles: "m_1" is the innermost loop over boxes of m.
  std::string tile(const LoopNestPart& part, std::size_t i) const;

  // The dimension as a sum of the variables' texts: "4 * p + p2".
  std::string dimension(int d, const std::vector<std::string>& value) const;
  // One subscript for each rank of the access's tensor: {"n", "2 * p + r"}; {"0"} for a scalar.
  std::vector<std::string> subscripts(const NestAccess& access, const std::vector<std::string>& value) const;
  // "[n][2 * p + r]", and ".value" where elements are padded.
  std::string element(const std::vector<std::string>& subscripts) const;
  // "[16][224]": the extents of an array.
  std::string extents(const MemoryArray& array) const;
  // The number of an element in its array: "(n) * 224 + (2 * p + r)".
  std::string number(const NestAccess& access, const std::vector<std::string>& value) const;
  // Type of an array's elements: "ELEMENT" or "struct line".
  std::string type() const { return options_.pad_bytes != 0 ? "struct line" : "ELEMENT"; }

 private:
  const LoopNest& nest_;
  const EmitOptions& options_;
  std::vector<std::string> arrays_, variables_;
  std::string expected_;
};

// One statement that adds the product of the inputs' elements to the output's: with touches where they are traced.
void add_statement(CLines& out, const CNest& c, const std::vector<std::string>& value,
                   const std::vector<std::string>& operands);

// The function that runs all parts of the nest.
void add_nest(CLines& out, const CNest& c);

// Buffers for packed tiles: their declarations, which loop their copies stand behind, and the copies.
class CPacking {
 public:
  CPacking(const CNest& c, const LoopNestPart& part);

  // The loop of the part inside which the tile of the access is loaded; -1: outside all of them.
  int behind(std::size_t access) const { return behind_[access]; }
  void declare(CLines& out) const;
  void load(CLines& out, std::size_t access, const std::vector<std::string>& low,
            const std::vector<std::string>& high) const;
  void store(CLines& out, std::size_t access, const std::vector<std::string>& low,
             const std::vector<std::string>& high) const;
  // The element in its buffer, when the variables have these values and the tile begins at `low`.
  std::string operand(std::size_t access, const std::vector<std::string>& value,
                      const std::vector<std::string>& low) const;

 private:
  void copy(CLines& out, std::size_t access, const std::vector<std::string>& low, const std::vector<std::string>& high,
            bool store) const;

  const CNest& c_;
  std::vector<int> behind_;
  std::vector<std::vector<u64>> extents_;  // [access]: of its buffer, by rank
};

}  // namespace heliolite
