#pragma once

// Groups of ranks and their collectives. In a function of a Trainer, `here().group()` is the group of all ranks:
//
//    float sum = troupe::here().group().all_reduce(own_loss);

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <type_traits>

namespace troupe {

/// The operation that combines the values of all ranks. The additions of a sum are ordered by a fixed tree over the
/// ranks. So for a fixed number of ranks, the result is bitwise identical on every machine and with every backend.
enum class ReduceOp : std::uint8_t {
  sum,
  /// The sum divided by the number of ranks. Not available for integers.
  mean,
  max,
};

/// The element types of collectives.
enum class ElementType : std::uint8_t { f32, f64, i64 };

/// A type that collectives support: float, double or std::int64_t.
template <class T>
concept Element = std::is_same_v<T, float> || std::is_same_v<T, double> || std::is_same_v<T, std::int64_t>;

/// The source location at which a program calls a collective, for error messages. Replaces std::source_location, which
/// some C++20 compilers lack.
struct CallPlace {
  const char* file = "";
  std::uint32_t line = 0;

  /// Returns the location of the call in the program. Works if `CallPlace::current()` is the default argument of the
  /// called function.
  static constexpr CallPlace current(const char* in_file = __builtin_FILE(), std::uint32_t at_line = __builtin_LINE()) {
    return {in_file, at_line};
  }
};

class Communicator;  // the connection between the ranks of a group
struct Collective;   // one call of a collective

/// A group of ranks, which exchange and combine values by collectives.
///
/// **Collectives.** All ranks must call the same collectives, in the same order, with the same element type and the
/// same number of elements. A call returns when the result of the calling rank is complete; other ranks may still be
/// busy. Not thread-safe: only one thread of a rank at a time may use the group.
///
/// **Errors.** If a rank is missing, the other ranks get an Error, at the latest after TrainerTimeouts::collective or
/// StandaloneContext::Options::collective_timeout. The message and Where name the missing rank. The message contains
/// the reason: the rank was lost, its function threw or returned early, or the rank hangs. For a rank that hangs, the
/// message also names the collective that it called last. If ranks call different collectives or use different sizes,
/// each rank gets an Error invalid_argument that lists the calls of all ranks; the group stays usable. After any other
/// error, the group is broken for the rank that got the error: each further call of this rank throws the same error. In
/// a child process made by fork, collectives of several ranks throw Error unsupported.
class Group {
 public:
  /// Makes a group of one rank, for code that runs outside a Trainer.
  Group();
  /// Makes a group that uses `communicator`. Only Troupe calls this constructor.
  explicit Group(std::shared_ptr<Communicator> communicator);

  /// Returns the number of this rank, from 0 on.
  int rank() const;
  /// Returns the number of ranks.
  int size() const;
  /// Returns the name of the implementation of collectives: "alone", "store", "data-plane" or "mpi".
  const char* backend() const;

  /// Combines `in` of all ranks element by element; each rank gets the result in `out`. `in` and `out` must have the
  /// same length and may be the same memory.
  /// @throws Error invalid_argument if the lengths differ, or for the mean of integers.
  template <Element T, std::size_t N, std::size_t M>
  void all_reduce(std::span<const T, N> in, std::span<T, M> out, ReduceOp op, CallPlace at = CallPlace::current()) {
    all_reduce(type_of<T>(), in.data(), in.size(), out.data(), out.size(), op, at);
  }
  /// Combines `values` of all ranks element by element, and overwrites `values` with the result on each rank.
  template <Element T, std::size_t N>
  void all_reduce(std::span<T, N> values, ReduceOp op = ReduceOp::sum, CallPlace at = CallPlace::current()) {
    all_reduce(type_of<T>(), values.data(), values.size(), values.data(), values.size(), op, at);
  }
  /// Combines the numbers `value` of all ranks, and returns the result on each rank.
  template <Element T>
  T all_reduce(T value, ReduceOp op = ReduceOp::sum, CallPlace at = CallPlace::current()) {
    all_reduce(type_of<T>(), &value, 1, &value, 1, op, at);
    return value;
  }

  /// Combines `in` of all ranks element by element. The result is divided into as many parts as there are ranks, and
  /// each rank gets its part only.
  /// @param in the values of this rank.
  /// @param part receives the part `part_of(in.size())` of the result, and must have its length. `part` may be the same
  /// memory as this part of `in`.
  /// @param op the operation.
  /// @param at the place of the call, for error messages.
  /// @throws Error invalid_argument if the length of `part` is wrong.
  template <Element T, std::size_t N, std::size_t M>
  void reduce_scatter(std::span<const T, N> in, std::span<T, M> part, ReduceOp op = ReduceOp::sum,
                      CallPlace at = CallPlace::current()) {
    reduce_scatter(type_of<T>(), in.data(), in.size(), part.data(), part.size(), op, at);
  }
  /// Concatenates `part` of all ranks in order of rank; each rank gets the result in `all`.
  /// @param part the values of this rank, which become the part `part_of(all.size())` of the result. `part` must have
  /// the length of that part and may be the same memory.
  /// @param all receives the parts of all ranks.
  /// @param at the place of the call, for error messages.
  /// @throws Error invalid_argument if the length of `part` is wrong.
  template <Element T, std::size_t N, std::size_t M>
  void all_gather(std::span<const T, N> part, std::span<T, M> all, CallPlace at = CallPlace::current()) {
    all_gather(type_of<T>(), part.data(), part.size(), all.data(), all.size(), at);
  }
  /// Overwrites `values` on all ranks with `values` of rank `root`.
  /// @throws Error invalid_argument if `root` is not a rank.
  template <Element T, std::size_t N>
  void broadcast(std::span<T, N> values, int root = 0, CallPlace at = CallPlace::current()) {
    broadcast(type_of<T>(), values.data(), values.size(), root, at);
  }
  /// Blocks until all ranks have called `barrier`.
  void barrier(CallPlace at = CallPlace::current());

  /// A part of a vector: the elements from `begin` up to, but not including, `end`.
  struct Part {
    std::size_t begin = 0;
    std::size_t end = 0;
    std::size_t size() const { return end - begin; }
  };
  /// Returns the part that belongs to rank `rank` if a vector of `count` elements is divided among the ranks. Parts are
  /// contiguous, in order of rank, and their lengths differ by at most one element.
  Part part_of(std::size_t count, int rank) const;
  /// Returns the part that belongs to the calling rank if a vector of `count` elements is divided among the ranks.
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
