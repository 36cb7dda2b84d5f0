#pragma once

#include <dnnl.hpp>
#include <initializer_list>
#include <optional>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "models/aligned.hpp"
#include "models/cpu/layout.hpp"
#include "troupe/error.hpp"

namespace troupe::cpu {

/// What the primitives of one replica share. They run one after the other, so one scratchpad serves all.
struct Context {
  dnnl::engine engine{dnnl::engine::kind::cpu, 0};
  dnnl::stream stream{engine};
  AlignedFloats scratchpad;
  AlignedFloats slice;           ///< what lies between two layers that run slice by slice, or its gradient
  AlignedFloats slice_gradient;  ///< of the weights, for a slice after the first

  /// Makes the scratchpad at least so long.
  void reserve(std::size_t bytes);
};

/// Makes oneDNN use only the calling thread: a replica is one core.
void use_one_thread();

/// Attributes of every primitive: the scratchpad is ours. With `relu`, a ReLU is applied to the output.
dnnl::primitive_attr attributes(bool relu = false);

dnnl::memory::desc plain_vector(std::int64_t size);
/// Row-major rows x columns.
dnnl::memory::desc plain_matrix(std::int64_t rows, std::int64_t columns);
/// `batch` images of that layout.
dnnl::memory::desc images(std::int64_t batch, const Layout& layout);
/// The inverse of `images`, or nothing for a layout that is none of ours.
std::optional<Layout> layout_of(const dnnl::memory::desc& images);
/// Any layout, with these extents.
dnnl::memory::desc any_layout(const dnnl::memory::dims& extents);
dnnl::memory::desc any_layout(const dnnl::memory::desc& like);
/// True when no float of it is padding.
bool is_dense(const dnnl::memory::desc& desc);

/// A primitive whose arguments, given in a fixed order, change from run to run.
class Primitive {
 public:
  using Arguments = std::vector<std::pair<int, dnnl::memory::desc>>;

  template <class Descriptor>
  Primitive(Context& context, const Descriptor& descriptor, const dnnl::primitive& primitive,
            const Arguments& arguments)
      : Primitive(context, primitive, descriptor.scratchpad_desc(), arguments) {}

  /// One address per argument, in their order.
  void run(std::initializer_list<const float*> addresses);

 private:
  Primitive(Context& context, const dnnl::primitive& primitive, const dnnl::memory::desc& scratchpad,
            const Arguments& arguments);

  Context& context_;
  dnnl::primitive primitive_;
  dnnl::memory scratchpad_;
  std::vector<dnnl::memory> memories_;
  std::unordered_map<int, dnnl::memory> arguments_;
};

/// Weights (or their gradient) in the stored layout for a primitive that may want another. They are reordered only
/// where it does, which is where oneDNN has no fast primitive for the stored layout on this machine.
class WeightsPort {
 public:
  WeightsPort(Context& context, dnnl::memory::desc stored, dnnl::memory::desc wanted);

  /// Where the primitive reads the weights stored at `weights`.
  const float* read(const float* weights);
  /// Where the primitive writes what belongs at `gradient`; `written` puts it there.
  float* target(float* gradient);
  void written(float* gradient);

 private:
  Context& context_;
  bool same_;
  dnnl::memory stored_;
  dnnl::memory wanted_;
  AlignedFloats copy_;
};

/// True for oneDNN's reference loops, a thousand times slower than the others.
inline bool is_reference(std::string_view implementation) { return implementation.starts_with("ref"); }

/// The first descriptor that oneDNN can make and that does not fall to its reference loops; failing that, the last.
/// @throws Error unsupported when none can be made.
template <class Descriptor, class... Make>
Descriptor first_fast(const Make&... make) {
  std::optional<Descriptor> found;
  const auto attempt = [&found](const auto& make_one) {
    if (found && !is_reference(found->impl_info_str())) return;
    try {
      found = make_one();
    } catch (const dnnl::error&) {  // oneDNN's way to say that it has none
    }
  };
  (attempt(make), ...);
  if (!found) throw Error(ErrorCode::unsupported, "oneDNN has no primitive for a layer of this network");
  return *found;
}

}  // namespace troupe::cpu
