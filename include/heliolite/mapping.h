#pragma once
// How it is computed: the loop nest of every level, and what each level keeps. Read, made in code, checked, written.
//
//   auto machine = heliolite::load_architecture("eyeriss");
//   auto gemm = heliolite::parse_einsum("o[i,j] += a[i,k]*b[k,j]; i=64,j=64,k=128");
//   auto mapping = heliolite::load_mapping("best.yaml", *gemm, *machine);   // our format, an answer of `map --json`,
//   if (!mapping) std::puts(to_string(mapping.errors()).c_str());           // or Timeloop's
//   else std::puts(mapping->yaml().c_str());                                // also timeloop_mapping(), timeloop.h
#include <heliolite/architecture.h>  // IWYU pragma: export
#include <heliolite/workload.h>      // IWYU pragma: export
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace heliolite::api {

struct MappingState;

// A loop over parts of a dimension.
struct Loop {
  std::string dimension;
  std::uint64_t iterations = 1;
  std::optional<std::uint64_t> last{};  // iterations in the last tile, where factors do not divide; none: all of them
};

// A level in a mapping, as a file lists it (docs/formats_mapping.md). A level that is listed in several parts has tiles
// that end at different loops.
struct MappingLevel {
  std::string level;
  std::optional<std::vector<std::string>> keep{};  // tensors; none: all that the machine lets it keep
  std::vector<Loop> temporal{};                    // outermost first
  std::vector<Loop> x{}, y{};                      // over the units of the fan-out below, outermost first
  std::vector<std::string> no_link_transfer{};     // tensors that take no words from neighbours there
};

// A mapping of a workload on a machine, which fits it. Copies share it; it never changes.
class Mapping {
 public:
  const Workload& workload() const;
  const Architecture& architecture() const;
  std::vector<MappingLevel> levels() const;  // outermost first; loops of one iteration are left out
  bool factors_divide() const;               // no loop has a shorter last tile
  std::string yaml() const;                  // the text of a file of ours

 private:
  friend struct Inside;
  explicit Mapping(std::shared_ptr<const MappingState> state) : state_(std::move(state)) {}
  std::shared_ptr<const MappingState> state_;
};

// The mapping that -m of the program would name: a file of ours, an answer of `map --json` or `eval --json`, or
// Timeloop's directives. Errors: names that workload or machine do not have, factors that do not make a dimension's
// size, fan-outs and capacities that are exceeded.
Result<Mapping> load_mapping(const std::string& path, const Workload& workload, const Architecture& architecture,
                             const ReadOptions& options = {});
// The mapping of a text that such a file could hold; `name` stands for the file in errors.
Result<Mapping> parse_mapping(std::string_view text, const std::string& name, const Workload& workload,
                              const Architecture& architecture);
// The mapping with these levels, outermost first; levels that are not listed have no loops. Errors as of a file, whose
// fields they name.
Result<Mapping> create_mapping(const std::vector<MappingLevel>& levels, const Workload& workload,
                               const Architecture& architecture);

}  // namespace heliolite::api
