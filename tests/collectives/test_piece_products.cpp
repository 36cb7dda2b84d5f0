#include <doctest/doctest.h>

#include <cmath>
#include <vector>

#include "collectives/exchange/combination.hpp"
#include "collectives/exchange/piece_products.hpp"
#include "collectives/exchange/reduce.hpp"
#include "runtime/random.hpp"
#include "support/errors.hpp"

using namespace troupe;

namespace {

using Floats = std::vector<float>;
using Numbers = std::vector<double>;

/// Returns floats of many magnitudes, so that sums of their products are almost never exact.
Floats random_floats(std::size_t size, std::uint64_t seed) {
  Random random(seed);
  Floats floats(size);
  for (float& each : floats) each = std::ldexp(random.uniform() - 0.25F, static_cast<int>(random.below(16)) - 8);
  return floats;
}

struct Factors {
  explicit Factors(std::size_t size) : a(random_floats(size, 1)) {
    for (std::uint64_t i = 0; i < 3; ++i) b.push_back(random_floats(size, 2 + i));
  }
  Floats a;
  std::vector<Floats> b;
};

/// Products: a, b[1] and a with each b, by `add_table` (0 to 8); a with b[0], by `add`; a with itself, by `add_square`.
constexpr std::size_t kTable = 0;
constexpr std::size_t kSingle = 9;
constexpr std::size_t kSquare = 10;
constexpr std::size_t kAll = 11;
constexpr double kFactor = 0.3;

/// Lengths of successive chunks: multiples of 32 floats, but not of pages.
using ChunkLengths = std::vector<std::size_t>;

void add(PieceProducts& products, const Factors& of, std::size_t begin, std::size_t count) {
  const float* const a = of.a.data() + begin;
  std::vector<Numbers> wide;
  std::vector<const double*> rows;
  for (const Floats& each : of.b)
    wide.emplace_back(each.begin() + static_cast<std::ptrdiff_t>(begin),
                      each.begin() + static_cast<std::ptrdiff_t>(begin + count));
  for (const Numbers& each : wide) rows.push_back(each.data());
  // add_table computes two columns at once, then the last one.
  const std::vector<const float*> columns{a, &of.b[1][begin], a};
  products.add_table(begin, count, rows, columns, columns);
  products.add(kSingle, begin, count, a, &of.b[0][begin]);
  const std::size_t group = count / 3;  // a group of parameters may end at any float
  products.add_square(kSquare, begin, group, kFactor, a);
  products.add_square(kSquare, begin + group, count - group, kFactor, a + group);
}

Range slice_of(std::size_t size, const Range& pieces) {
  if (pieces.empty()) return {};
  const auto all = vector_pieces(size);
  return {all[pieces.begin].begin, all[pieces.end - 1].end};
}

struct Sums {
  std::vector<Numbers> pieces;  ///< by product and piece, because a total can hide a wrong bit of one piece
  Numbers all;                  ///< by product
  bool operator==(const Sums&) const = default;
};

/// Returns the sums over all floats before `end`, computed with `owners` owners.
Sums sums(const Factors& of, std::size_t owners, const ChunkLengths& chunks, std::size_t end) {
  const std::size_t size = of.a.size();
  Sums found{std::vector<Numbers>(kAll), {}};
  std::vector<Range> pieces;
  std::vector<Numbers> parts(kAll);
  for (const Range& own : pieces_of_owners(owners)) {
    const Range slice = slice_of(size, own);
    PieceProducts products(size, slice, kAll, end);
    std::size_t turn = 0;
    for (std::size_t begin = slice.begin; begin < slice.end;) {
      const std::size_t count = std::min(chunks[turn++ % chunks.size()], slice.end - begin);
      add(products, of, begin, count);
      begin += count;
    }
    pieces.push_back(pieces_of(size, slice));
    for (std::size_t which = 0; which < kAll; ++which) {
      const Numbers by_piece = products.sums(which);
      const Numbers told = piece_subtree_sums(pieces.back(), by_piece);
      REQUIRE(told.size() == piece_subtrees(pieces.back()));
      parts[which].insert(parts[which].end(), told.begin(), told.end());
      found.pieces[which].insert(found.pieces[which].end(), by_piece.begin(), by_piece.end());
    }
  }
  for (const Numbers& each : parts) found.all.push_back(sum_of_pieces(pieces, each));
  return found;
}

/// Compares with a plain loop in doubles.
bool is_product(double value, const Floats& a, const Floats& b, std::size_t end, double factor = 1) {
  double sum = 0;
  double magnitudes = 0;
  for (std::size_t i = 0; i < end; ++i) {
    const double product = factor * static_cast<double>(a[i]) * static_cast<double>(b[i]);
    sum += product;
    magnitudes += std::abs(product);
  }
  return std::abs(value - sum) <= 1e-12 * magnitudes;
}

constexpr std::size_t kProductSizes[] = {1, 31, 1'000, 20'000, 65'536, 70'001, 1'000'000};

}  // namespace

TEST_CASE("scalar products are bitwise identical for any owners and any chunks") {
  for (const std::size_t size : kProductSizes) {
    const Factors of(size);
    for (const std::size_t end : {size, size / 2}) {
      CAPTURE(size);
      CAPTURE(end);
      const Sums expected = sums(of, 1, {kTreeChunk}, end);
      for (std::size_t which = 0; which < 3; ++which) {
        CHECK(is_product(expected.all[kTable + which], of.a, of.b[which], end));
        CHECK(is_product(expected.all[kTable + 3 + which], of.b[1], of.b[which], end));
        CHECK(expected.all[kTable + 6 + which] == expected.all[kTable + which]);
      }
      CHECK(expected.all[kSingle] == expected.all[kTable]);
      CHECK(is_product(expected.all[kSquare], of.a, of.a, end, kFactor));
      for (const std::size_t owners : {1, 2, 3, 4, 7, 64, 100}) {
        CAPTURE(owners);
        REQUIRE((sums(of, owners, {kTreeChunk}, end) == expected));
        REQUIRE((sums(of, owners, {32, 4096 + 32, 1024, 96}, end) == expected));
      }
    }
  }
}

TEST_CASE("pieces are whole pages, and empty pieces of a small vector belong to no owner") {
  const auto pieces = vector_pieces(3'000);
  REQUIRE(pieces.size() == kPieces);
  CHECK(pieces[2] == Range{2'048, 3'000});
  CHECK(pieces[3].empty());
  CHECK(pieces_of(3'000, {0, 3'000}) == Range{0, 3});
  CHECK(pieces_of(3'000, {1'024, 3'000}) == Range{1, 3});
  CHECK(pieces_of(3'000, {}).empty());
  CHECK(piece_subtrees({}) == 0);
  CHECK(piece_subtree_sums({}, {}).empty());
  CHECK(piece_subtrees({0, kPieces}) == 1);
  CHECK(piece_subtrees({0, 3}) == 2);
  CHECK(piece_subtree_sums({0, 3}, Numbers{1, 2, 4}) == Numbers{3, 4});
  CHECK(sum_of_pieces(std::vector<Range>{{0, 3}}, Numbers{3, 4}) == 7);
  CHECK(sum_of_pieces(std::vector<Range>{{0, 1}, {}, {1, 3}}, Numbers{1, 2, 4}) == 7);
}

TEST_CASE("sums are added in the tree over all pieces") {
  // Each of these values is lost if it is added to 1 alone. It counts if it is added to its neighbor first.
  constexpr double kHalf = 0x1p-53;
  Numbers values(kPieces, kHalf);
  values[0] = 1;
  values[1] = 0;
  const Numbers told = piece_subtree_sums({0, kPieces}, values);
  CHECK(sum_of_pieces(std::vector<Range>{{0, kPieces}}, told) == 1 + 62 * kHalf);
  std::vector<Range> owners;
  Numbers parts;
  for (const Range& own : pieces_of_owners(7)) {
    owners.push_back(own);
    const auto begin = values.begin() + static_cast<std::ptrdiff_t>(own.begin);
    const Numbers its(begin, begin + static_cast<std::ptrdiff_t>(own.size()));
    for (const double sum : piece_subtree_sums(own, its)) parts.push_back(sum);
  }
  CHECK(sum_of_pieces(owners, parts) == 1 + 62 * kHalf);
  parts.pop_back();
  CHECK(code_of([&] { (void)sum_of_pieces(owners, parts); }) == ErrorCode::invalid_argument);
  owners.erase(owners.begin());
  CHECK(code_of([&] { (void)sum_of_pieces(owners, parts); }) == ErrorCode::invalid_argument);
}

TEST_CASE("directions, moves and changes equal those of plain loops in doubles, rounded once") {
  for (const std::size_t count : {std::size_t{1}, std::size_t{7}, std::size_t{33}, kCombined}) {
    std::vector<Floats> vectors;
    std::vector<const float*> terms;
    Numbers coefficients;
    for (std::uint64_t term = 0; term <= 21; ++term) {
      Floats expected(count);
      for (std::size_t i = 0; i < count; ++i) {
        double sum = 0;
        for (std::size_t each = 0; each < vectors.size(); ++each)
          sum += coefficients[each] * static_cast<double>(vectors[each][i]);
        expected[i] = static_cast<float>(sum);
      }
      Floats combined(count, 7.0F);
      combine(terms, coefficients, count, combined.data(), terms);
      REQUIRE(combined == expected);
      vectors.push_back(random_floats(count, 10 + term));
      terms.clear();
      for (const Floats& each : vectors) terms.push_back(each.data());
      coefficients.push_back(std::pow(-1.7, static_cast<double>(term % 5)));
    }
    const Floats& from = vectors[0];
    const Floats& other = vectors[1];
    for (const double length : {0.0, 1.0, 1e-3, 1.0 / 3, 1e20}) {
      Floats moved(count);
      move_along(from.data(), other.data(), length, count, moved.data());
      for (std::size_t i = 0; i < count; ++i)
        REQUIRE(moved[i] == static_cast<float>(static_cast<double>(from[i]) + length * static_cast<double>(other[i])));
      if (length == 0) continue;
      quotient_of_change(from.data(), other.data(), length, count, moved.data());
      for (std::size_t i = 0; i < count; ++i)
        REQUIRE(moved[i] ==
                static_cast<float>((static_cast<double>(from[i]) - static_cast<double>(other[i])) / length));
    }
  }
}
