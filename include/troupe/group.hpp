#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <type_traits>

namespace troupe {

/// How the values of all ranks become one. Sums are added in the fixed tree over ranks, so for the same number of ranks
/// they have the same bits on any machine, over any backend.
enum class ReduceOp : std::uint8_t {
  sum,
  mean,  ///< the sum, divided by the number of ranks; not of whole numbers
  max,
};

enum class ElementType : std::uint8_t { f32, f64, i64 };

/// What a collective can be made of.
template <class T>
concept Element = std::is_same_v<T, float> || std::is_same_v<T, double> || std::is_same_v<T, std::int64_t>;

/// Where in the user's program a collective was called, as errors say it. As std::source_location, which some compilers
/// of C++20 lack.
struct CallPlace {
  const char* file = "";
  std::uint32_t line = 0;

  static constexpr CallPlace current(const char* in_file = __builtin_FILE(), std::uint32_t at_line = __builtin_LINE()) {
    return {in_file, at_line};
  }
};

class Communicator;  // how the ranks of a group reach each other
struct Collective;   // one call

/// Ranks that compute together. A collective is called by all of them, each with as many elements of the same type, in
/// the same order; it returns when this rank's part is done. One thread of a rank at a time may use it.
///
/// All throw an Error in time, at the latest after `TrainerTimeouts::collective` or the `collective_timeout` of
/// StandaloneContext::Options, when a rank is missing: its text and Where name that rank, whether it was lost, threw,
/// returned early or hangs, and then what it called last. Where ranks call different collectives, or of other sizes,
/// each gets an Error invalid_argument that says who called what where; the group can be used on. After any other error
/// it is over for this rank: each call throws the same again. In a child made by fork a collective of several ranks
/// throws Error unsupported.
class Group {
 public:
  /// Of one rank, for code that runs outside of any other.
  Group();
  explicit Group(std::shared_ptr<Communicator> communicator);

  int rank() const;
  int size() const;
  /// "alone", "store", "data-plane" or "mpi".
  const char* backend() const;

  /// All ranks have `out` of all ranks' `in`, element by element. They may be the same memory.
  template <Element T, std::size_t N, std::size_t M>
  void all_reduce(std::span<const T, N> in, std::span<T, M> out, ReduceOp op, CallPlace at = CallPlace::current()) {
    all_reduce(type_of<T>(), in.data(), in.size(), out.data(), out.size(), op, at);
  }
  /// In place.
  template <Element T, std::size_t N>
  void all_reduce(std::span<T, N> values, ReduceOp op = ReduceOp::sum, CallPlace at = CallPlace::current()) {
    all_reduce(type_of<T>(), values.data(), values.size(), values.data(), values.size(), op, at);
  }
  /// Of one value.
  template <Element T>
  T all_reduce(T value, ReduceOp op = ReduceOp::sum, CallPlace at = CallPlace::current()) {
    all_reduce(type_of<T>(), &value, 1, &value, 1, op, at);
    return value;
  }

  /// The same, of which each rank has its part alone. @param part as long as `part_of(in.size())`; it may lie in `in`
  /// where that part is
  template <Element T, std::size_t N, std::size_t M>
  void reduce_scatter(std::span<const T, N> in, std::span<T, M> part, ReduceOp op = ReduceOp::sum,
                      CallPlace at = CallPlace::current()) {
    reduce_scatter(type_of<T>(), in.data(), in.size(), part.data(), part.size(), op, at);
  }
  /// All ranks have the parts of all, in order of rank. @param part as long as `part_of(all.size())`; it may lie in
  /// `all` where that part is
  template <Element T, std::size_t N, std::size_t M>
  void all_gather(std::span<const T, N> part, std::span<T, M> all, CallPlace at = CallPlace::current()) {
    all_gather(type_of<T>(), part.data(), part.size(), all.data(), all.size(), at);
  }
  /// All ranks have what rank `root` has.
  template <Element T, std::size_t N>
  void broadcast(std::span<T, N> values, int root = 0, CallPlace at = CallPlace::current()) {
    broadcast(type_of<T>(), values.data(), values.size(), root, at);
  }
  /// Returns when all ranks have called it.
  void barrier(CallPlace at = CallPlace::current());

  /// Elements of a vector: [begin, end).
  struct Part {
    std::size_t begin = 0;
    std::size_t end = 0;
    std::size_t size() const { return end - begin; }
  };
  /// Which elements of so many are a rank's: parts are contiguous, in order of rank, and differ by one at most.
  Part part_of(std::size_t count, int rank) const;
  Part part_of(std::size_t count) const { return part_of(count, rank()); }

  const std::shared_ptr<Communicator>& communicator() const { return communicator_; }

 private:
  template <Element T>
  static constexpr ElementType type_of() {
    return std::is_same_v<T, float>    ? ElementType::f32
           : std::is_same_v<T, double> ? ElementType::f64
                                       : ElementType::i64;
  }
  void all_reduce(ElementType type, const void* in, std::size_t count, void* out, std::size_t room, ReduceOp op,
                  const CallPlace& at);
  void reduce_scatter(ElementType type, const void* in, std::size_t count, void* part, std::size_t room, ReduceOp op,
                      const CallPlace& at);
  void all_gather(ElementType type, const void* part, std::size_t count, void* all, std::size_t room,
                  const CallPlace& at);
  void broadcast(ElementType type, void* values, std::size_t count, int root, const CallPlace& at);

  std::shared_ptr<Communicator> communicator_;
};

}  // namespace troupe
