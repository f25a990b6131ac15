// Emitted programs are compiled without warnings and compute what the plain loops do.
#include "engine/execution/emit_c.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>

#include "engine/bounds/tiling/iotile_search.h"
#include "engine/execution/loop_nest.h"
#include "engine/execution/simulate.h"
#include "engine/execution/tiled_nest.h"
#include "engine/formats/load_network.h"
#include "tests/support/cli_runner.h"

namespace heliolite::emit_c_test {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

Workload layer(const std::string& text) { return load_network(text)->layers.front().workload; }

bool has(const std::string& command) {
  return std::system(("command -v " + command + " >/dev/null 2>&1").c_str()) == 0;
}

// What the program prints; empty, after a complaint, if it does not compile or returns an error.
std::string output_of(const std::string& program, const std::string& compiler = "cc", const std::string& flags = "") {
  const TempFolder folder;
  const std::string source = folder.write("nest.c", program), binary = folder.path("nest");
  const std::string text = folder.path("text");
  const std::string compile = compiler + " -O1 -std=c99 -Wall -Wextra -Wpedantic -Werror " + flags + " " + source +
                              " -o " + binary + " 2> " + text;
  if (std::system(compile.c_str()) != 0) {
    ADD_FAILURE() << read_text(text) << program;
    return "";
  }
  EXPECT_EQ(std::system((binary + " > " + text).c_str()), 0) << read_text(text) << program;
  return read_text(text);
}

LoopNest best_nest(const Workload& workload, double capacity) {
  return tiled_nest(workload, *best_parts(workload, capacity));
}

// A tile of half of each dimension, rounded up.
NamedTiling tiling_of_halves(const Workload& workload) {
  NamedTiling tiling;
  tiling.tiles.resize(1);
  for (const Dimension& d : workload.dimensions) tiling.tiles[0].extent.push_back(static_cast<u32>((d.size + 1) / 2));
  return tiling;
}

// Edges that do not divide, strides, dilations, several reductions, a tensor read twice, names that C has taken.
const std::vector<std::string>& shapes() {
  static const std::vector<std::string> list{
      "gemm:17x19x23",
      "O[k,x,y] += F[k,c,r,s] * I[c,x+r,y+s]; k=5,x=7,y=6,c=3,r=3,s=3",
      "O[k,x] += F[k,c,w] * I[c,2*x+3*w]; k=5,x=9,c=4,w=3",
      "O[c,x,y] += F[c,r,s] * I[c,2*x+r,2*y+s]; c=5,x=7,y=6,r=3,s=3",
      "A[i,l] += T[i,j,k] * B[j,l] * C[k,l]; i=5,j=6,k=7,l=4",
      "C[i,j] += A[i,k] * A[j,k]; i=9,j=9,k=5",
      "double[int,for] += float[int,k] * return[k,for]; int=5,for=6,k=7",
      "malloc[EOF,main] += argc[EOF,i] * RAND_MAX[i,main]; EOF=5,main=6,i=7",
      "size_t[time,x1] += tiled[time,linux] * ELEMENT[linux,x1]; time=3,x1=4,linux=5",
  };
  return list;
}

TEST(EmitC, ProgramsComputeWhatThePlainLoopsDo) {
  for (const std::string& shape : shapes()) {
    SCOPED_TRACE(shape);
    const LoopNest nest = best_nest(layer(shape), 40);
    EXPECT_THAT(output_of(emit_c(nest, {shape})), HasSubstr("checksum"));
  }
}

TEST(EmitC, ClangTakesThemToo) {
  if (!has("clang")) GTEST_SKIP() << "no clang here";
  for (const std::string& shape : shapes()) output_of(emit_c(best_nest(layer(shape), 40), {shape}), "clang");
}

TEST(EmitC, LiftedWindows) {
  const Workload conv = layer("O[k,x,y] += F[k,c,r,s] * I[c,2*x+r,2*y+s]; k=4,x=7,y=6,c=3,r=3,s=3");
  const TilingProblem lifted = *lifted_tiling_problem(conv);
  const TiledLevel tile = *best_tile(lifted, 60);
  const LoopNest nest = tiled_nest(conv, lifted, std::array{tile});
  EXPECT_TRUE(nest.guarded);
  EXPECT_THAT(output_of(emit_c(nest, {"lifted"})), HasSubstr("checksum"));
  EmitOptions packed{"lifted"};
  packed.pack = true;
  EXPECT_THAT(to_string(check_emit(nest, packed)), HasSubstr("takes strided windows apart"));
}

TEST(EmitC, PackedWordsAreTheModels) {
  const Workload gemm = layer("gemm:24x36x10");
  const NamedTiling tiling{{{{6, 9, 2}, {0, 1, 2}}}, {}};
  EmitOptions options{"packed"};
  options.pack = true;
  // A comes once for each of 4 columns of tiles, B for each of 4 rows, Z once.
  const std::string text = output_of(emit_c(tiled_nest(gemm, tiling), options));
  EXPECT_THAT(text, HasSubstr("A loaded 960 stored 0"));
  EXPECT_THAT(text, HasSubstr("B loaded 1440 stored 0"));
  EXPECT_THAT(text, HasSubstr("Z loaded 864 stored 864"));
  for (const std::string& shape : shapes())
    EXPECT_THAT(output_of(emit_c(tiled_nest(layer(shape), tiling_of_halves(layer(shape))), options)),
                HasSubstr("stored"));
}

TEST(EmitC, PaddedElementsHaveLinesOfTheirOwn) {
  EmitOptions options{"padded"};
  options.pad_bytes = 64;
  EXPECT_THAT(output_of(emit_c(best_nest(layer("gemm:9x8x7"), 40), options)), HasSubstr("checksum"));
}

// A cache of lines of 64 bytes, one set, sees of padded elements what the simulator counts, and the start of the
// program.
TEST(EmitC, CachegrindSeesTheThresholdOfLru) {
  if (!has("valgrind")) GTEST_SKIP() << "no valgrind here";
  EmitOptions options{"padded"};
  options.pad_bytes = 64;
  const LoopNest nest = tiled_nest(layer("gemm:62x62x31"), NamedTiling{{{{31, 31, 1}, {0, 1, 2}}}, {0, 1}});
  const TempFolder folder;
  const std::string source = folder.write("nest.c", emit_c(nest, options)), binary = folder.path("nest");
  ASSERT_EQ(std::system(("cc -O1 -std=c99 " + source + " -o " + binary).c_str()), 0);
  for (const u64 words : {1024, 1060}) {
    const std::array caches{SimulatedCache{{words, 1, 0}, CachePolicy::Lru, 1}};
    const auto loads = static_cast<double>(simulate(nest, caches, true).front().all_loads());
    const std::string text = folder.path("text");
    ASSERT_EQ(std::system(fmt::format("valgrind --tool=cachegrind --cache-sim=yes --D1={},{},64 "
                                      "--cachegrind-out-file=/dev/null {} tiled 2> {}",
                                      words * 64, words, binary, text)
                              .c_str()),
              0);
    const std::string answer = read_text(text);
    std::string misses = answer.substr(answer.find("D1  misses:") + 11);
    misses = misses.substr(0, misses.find('('));
    std::erase_if(misses, [](char c) { return c == ',' || c == ' '; });
    const double start = 7000;  // libraries, stack, and the inputs' filling
    EXPECT_GE(std::stod(misses), loads);
    EXPECT_LE(std::stod(misses), loads + start);
  }
}

// Both operands in both orders; the library's product is compared in passing, as a number of seconds alone.
TEST(EmitC, TimesALibraryBesideIt) {
  const TempFolder folder;
  const std::string probe = folder.write("probe.c", "#include <cblas.h>\nint main(void) { return 0; }\n");
  std::string library;
  for (const char* name : {"-lopenblas", "-lcblas", "-lblas"})
    if (library.empty() &&
        std::system(("cc " + probe + " -o " + folder.path("probe") + " " + name + " 2>/dev/null").c_str()) == 0)
      library = name;
  for (const char* text : {"o[i,j] += a[i,k] * b[k,j]; i=9,j=8,k=7", "o[i,j] += b[j,k] * a[k,i]; i=9,j=8,k=7"}) {
    const std::string program = emit_c(best_nest(layer(text), 40), {"product"});
    EXPECT_THAT(program, HasSubstr("cblas_dgemm(CblasRowMajor"));
    if (library.empty()) continue;
    const std::string source = folder.write("nest.c", program), binary = folder.path("nest"), out = folder.path("out");
    ASSERT_EQ(
        std::system(("cc -O1 -std=c99 -Wall -Werror -DCBLAS " + source + " -o " + binary + " " + library).c_str()), 0);
    ASSERT_EQ(std::system((binary + " > " + out).c_str()), 0);
    EXPECT_THAT(read_text(out), HasSubstr("seconds cblas"));
  }
  EXPECT_THAT(emit_c(best_nest(layer(shapes()[1]), 40), {"convolution"}), Not(HasSubstr("cblas")));
}

// What the program touches is what the simulator sees.
TEST(EmitC, Trace) {
  EmitOptions options{"trace"};
  options.trace = true;
  for (const std::string& shape : {shapes()[0], shapes()[3], shapes()[5]}) {
    const LoopNest nest = best_nest(layer(shape), 40);
    struct Record {
      const LoopNest& nest;
      std::string text{};
      void visit(const TouchedWords& words) {
        for (std::size_t a = 0; a < nest.accesses.size(); ++a) {
          const MemoryArray& array = nest.arrays[nest.accesses[a].array];
          text += fmt::format("{} {} {}\n", array.name, words[a] - array.first, nest.accesses[a].is_output ? 'w' : 'r');
        }
      }
    } record{nest};
    walk(nest, record);
    EXPECT_EQ(output_of(emit_c(nest, options)), record.text);
  }
}

}  // namespace
}  // namespace heliolite::emit_c_test
