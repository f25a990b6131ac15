#include "engine/execution/emit_c.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <optional>
#include <utility>

#include "engine/execution/c_text.h"

namespace heliolite {

Diagnostics check_emit(const LoopNest& nest, const EmitOptions& options) {
  Diagnostics errors;
  const auto complain = [&](const char* option, std::string message) {
    errors.push_back({"", 0, option, std::move(message)});
  };
  if (options.pack && nest.guarded)
    complain("--pack", "the tiling takes strided windows apart, whose tiles are no boxes to copy");
  if (options.pack && options.openmp) complain("--pack", "does not go with --openmp: threads would share the buffers");
  if (options.trace && options.openmp) complain("--trace", "does not go with --openmp: a trace has one order");
  if (options.pad_bytes != 0 && (options.pad_bytes < 16 || !std::has_single_bit(options.pad_bytes)))
    complain("--pad", fmt::format("'{}' must be a power of two, at least 16", options.pad_bytes));
  constexpr u64 kMostBytes = u64{1} << 31;
  const u64 size = std::max<u64>(8, options.pad_bytes);
  if (nest.words > kMostBytes / size)
    complain("-w", fmt::format("arrays of {} elements of {} bytes do not fit into a program; at most {} GiB",
                               nest.words, size, kMostBytes >> 30));
  return errors;
}

namespace {

// The operands of a product of two matrices, output [m][n]: which of the nest's accesses is [m][k] or [k][m], and which
// [k][n] or [n][k].
struct MatrixProduct {
  int m = 0, n = 0, k = 0;  // dimensions
  std::size_t left = 0, right = 0;
};

// The two dimensions of the access, if its tensor is a matrix of plain dimensions.
std::optional<std::array<int, 2>> matrix(const Workload& workload, const NestAccess& access) {
  const std::vector<Rank>& ranks = workload.tensors[access.tensor].ranks;
  if (ranks.size() != 2) return std::nullopt;
  for (const Rank& rank : ranks)
    if (rank.terms.size() != 1 || rank.terms.front().coefficient != 1) return std::nullopt;
  return std::array{ranks[0].terms.front().dimension, ranks[1].terms.front().dimension};
}

std::optional<MatrixProduct> matrix_product(const LoopNest& nest) {
  if (nest.accesses.size() != 3 || nest.arrays.size() != 3 || nest.workload.dimensions.size() != 3) return std::nullopt;
  const auto out = matrix(nest.workload, nest.accesses[2]);
  const auto first = matrix(nest.workload, nest.accesses[0]), second = matrix(nest.workload, nest.accesses[1]);
  if (!out || !first || !second || (*out)[0] == (*out)[1]) return std::nullopt;
  MatrixProduct p{(*out)[0], (*out)[1], 3 - (*out)[0] - (*out)[1], 0, 1};
  const auto has = [](const std::array<int, 2>& of, int a, int b) {
    return of == std::array{a, b} || of == std::array{b, a};
  };
  if (has(*first, p.k, p.n)) std::swap(p.left, p.right);
  const auto &left = p.left == 0 ? *first : *second, &right = p.left == 0 ? *second : *first;
  return has(left, p.m, p.k) && has(right, p.k, p.n) ? std::optional(p) : std::nullopt;
}

void add_head(CLines& out, const CNest& c) {
  const EmitOptions& options = c.options();
  std::string title = options.title;  // which may hold anything, the end of a comment too
  std::ranges::replace(title, '*', 'x');
  std::ranges::replace(title, '\n', ' ');
  out.line("/* " + title + " */");
  out.line("#include <stdio.h>");
  out.line("#include <stdlib.h>");
  out.line("#include <time.h>");
  if (matrix_product(c.nest()) && options.pad_bytes == 0 && !options.trace) {
    out.line("#ifdef CBLAS");
    out.line("#include <cblas.h>");
    out.line("#endif");
  }
  out.line("");
  out.line("#ifndef ELEMENT");
  out.line("#define ELEMENT double /* holds sums of small whole numbers exactly */");
  out.line("#endif");
  out.line("#define MIN(a, b) ((a) < (b) ? (a) : (b))");
  out.line("");
  if (options.pad_bytes != 0) {
    out.line("/* An element in a line of the cache of its own. */");
    out.open("struct line");
    out.line("ELEMENT value;");
    out.line(fmt::format("char padding[{} - sizeof(ELEMENT)];", options.pad_bytes));
    out.close("};");
    out.line("");
  }
}

void add_arrays(CLines& out, const CNest& c) {
  const LoopNest& nest = c.nest();
  const std::string aligned =
      c.options().pad_bytes != 0 ? fmt::format(" __attribute__((aligned({})))", c.options().pad_bytes) : "";
  for (std::size_t a = 0; a < nest.arrays.size(); ++a)
    out.line(
        fmt::format("static {} {}{}{};", c.type(), c.array(static_cast<int>(a)), c.extents(nest.arrays[a]), aligned));
  if (!c.options().trace)
    out.line(fmt::format("static {} {}{}{};", c.type(), c.expected(),
                         c.extents(nest.arrays[nest.accesses.back().array]), aligned));
  if (c.options().pack)
    out.line(fmt::format("static unsigned long loaded[{0}], stored[{0}]; /* words, by array */", nest.arrays.size()));
  out.line("");
}

void add_touch(CLines& out) {
  out.open("static void touch(const char *array, long element, char kind)");
  out.line("printf(\"%s %ld %c\\n\", array, element, kind);");
  out.close();
  out.line("");
}

// The workload's loops as they stand.
void add_plain(CLines& out, const CNest& c) {
  const LoopNest plain = make_nest(c.nest().workload);
  out.open("static void plain(void)");
  std::vector<std::string> value;
  std::size_t loops = 0;
  const EmitOptions& options = c.options();
  const CNest names(plain, options);
  for (std::size_t d = 0; d < plain.variables.size(); ++d) {
    value.push_back(names.variable(d));
    out.open(fmt::format("for (long {0} = 0; {0} < {1}; ++{0})", names.variable(d), plain.workload.dimensions[d].size));
    ++loops;
  }
  std::vector<std::string> inputs;
  for (const NestAccess& access : plain.accesses)
    if (!access.is_output) inputs.push_back(c.array(access.array) + c.element(names.subscripts(access, value)));
  out.line(fmt::format("{}{} += {};", c.expected(), c.element(names.subscripts(plain.accesses.back(), value)),
                       fmt::join(inputs, " * ")));
  for (; loops > 0; --loops) out.close();
  out.close();
  out.line("");
}

// Compiled with -DCBLAS the program also runs a library's product of matrices, for its speed.
void add_cblas(CLines& out, const CNest& c, const MatrixProduct& p) {
  const LoopNest& nest = c.nest();
  const auto size = [&](int d) { return nest.workload.dimensions[d].size; };
  const auto operand = [&](std::size_t access, int row) {
    const NestAccess& a = nest.accesses[access];
    const bool straight = nest.workload.tensors[a.tensor].ranks[0].terms.front().dimension == row;
    const std::string& name = c.array(a.array);
    return std::pair{straight ? "CblasNoTrans" : "CblasTrans",
                     fmt::format("(const double *){}, {}", name, nest.arrays[a.array].extents[1])};
  };
  const auto [left_kind, left] = operand(p.left, p.m);
  const auto [right_kind, right] = operand(p.right, p.k);
  out.line("#ifdef CBLAS");
  out.line("const clock_t library = clock();");
  out.line(fmt::format("cblas_dgemm(CblasRowMajor, {}, {}, {}, {}, {}, 1.0, {}, {}, 0.0, (double *){}, {});", left_kind,
                       right_kind, size(p.m), size(p.n), size(p.k), left, right, c.expected(), size(p.n)));
  out.line(R"(printf("seconds cblas %.3f\n", (double)(clock() - library) / CLOCKS_PER_SEC);)");
  out.line("#endif");
}

std::string flat(const CNest& c, const std::string& array) {
  return fmt::format("(({} *){})[i]{}", c.type(), array, c.options().pad_bytes != 0 ? ".value" : "");
}

void add_fill(CLines& out, const CNest& c) {
  const LoopNest& nest = c.nest();
  out.open("static void fill(void)");
  for (std::size_t a = 0; a < nest.arrays.size(); ++a) {
    if (nest.arrays[a].is_output) continue;
    out.line(fmt::format("for (long i = 0; i < {}; ++i) {} = (ELEMENT)((i * 7 + {}) % 5 - 2);", nest.arrays[a].words,
                         flat(c, c.array(static_cast<int>(a))), 3 * a + 1));
  }
  out.close();
  out.line("");
}

void add_main(CLines& out, const CNest& c) {
  const LoopNest& nest = c.nest();
  const MemoryArray& output = nest.arrays[nest.accesses.back().array];
  const std::string& name = c.array(nest.accesses.back().array);
  if (c.options().trace) {
    out.open("int main(void)");
    out.line("fill();");
    out.line("tiled();");
    out.line("return EXIT_SUCCESS;");
    out.close();
    return;
  }
  out.line("/* With any argument the tiled loops alone. */");
  out.open("int main(int argc, char **argv)");
  out.line("(void)argv;");
  out.line("fill();");
  out.line("const clock_t start = clock();");
  out.line("tiled();");
  out.line("if (argc > 1) return EXIT_SUCCESS;");
  out.line("const clock_t middle = clock();");
  out.line("plain();");
  out.line("const clock_t end = clock();");
  out.line("long wrong = 0;");
  out.line("double checksum = 0;");
  out.open(fmt::format("for (long i = 0; i < {}; ++i)", output.words));
  out.line(fmt::format("if ({} != {}) ++wrong;", flat(c, name), flat(c, c.expected())));
  out.line(fmt::format("checksum += (double){} * (double)(i % 7 + 1);", flat(c, name)));
  out.close();
  out.line(R"(printf("checksum %.0f\n", checksum);)");
  if (c.options().pack)
    for (std::size_t a = 0; a < nest.arrays.size(); ++a)
      out.line(
          fmt::format(R"(printf("{0} loaded %lu stored %lu\n", loaded[{1}], stored[{1}]);)", nest.arrays[a].name, a));
  out.line(R"(printf("seconds tiled %.3f plain %.3f\n", (double)(middle - start) / CLOCKS_PER_SEC,)");
  out.line("       (double)(end - middle) / CLOCKS_PER_SEC);");
  if (const auto product = matrix_product(nest); product && c.options().pad_bytes == 0) add_cblas(out, c, *product);
  out.line(R"(if (wrong != 0) printf("wrong elements: %ld\n", wrong);)");
  out.line("return wrong == 0 ? EXIT_SUCCESS : EXIT_FAILURE;");
  out.close();
}

}  // namespace

std::string emit_c(const LoopNest& nest, const EmitOptions& options) {
  const CNest c(nest, options);
  CLines out;
  add_head(out, c);
  add_arrays(out, c);
  if (options.trace) add_touch(out);
  add_nest(out, c);
  out.line("");
  if (!options.trace) add_plain(out, c);
  add_fill(out, c);
  add_main(out, c);
  return out.take();
}

}  // namespace heliolite
