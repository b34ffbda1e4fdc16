# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""Functions compiled only as parts of others.

If one compiled function calls another, numba prepares the callee for calls from Python, too. It
adds wrappers that unpack Python's arguments, optimises it, generates machine code, stores it on
disk, and optimises it again in each caller. The caller needs only the types and the instructions.
Without the other steps the first start takes far less time, and the compiled code is the same.

With ``forceinline`` a part is inlined at each call; otherwise each kernel contains it once.

This module contains all uses of private parts of numba for this purpose.
"""

from __future__ import annotations

from typing import Any

from numba.core import typing
from numba.core.codegen import JITCodeLibrary
from numba.core.compiler import CompilerBase, DefaultPassBuilder, _LowerResult
from numba.core.compiler_lock import global_compiler_lock
from numba.core.compiler_machinery import PassManager, register_pass
from numba.core.typed_passes import IRLegalization, NativeLowering, NoPythonBackend
from numba.core.types.abstract import Literal
from numba.core.types.containers import BaseAnonymousTuple
from numba.core.types.misc import unliteral

# passes of numba for features that kernels do not use: contexts, inner closures, literal arguments,
# functions with ``inline``. After each pass numba analyses the whole function again.
NEEDLESS = {
    *("WithLifting", "InlineClosureLikes", "MakeFunctionToJitFunction", "InlineInlinables"),
    *("FindLiterallyCalls", "LiteralUnroll", "LiteralPropagationSubPipelinePass"),
    *("RewriteDynamicRaises", "InlineOverloads"),
}


class Parts:
    """The instructions of a function for compiled callers, once for each combination of types.

    Parameters
    ----------
    dispatcher : numba.core.dispatcher.Dispatcher
        Dispatcher of the function, for calls from Python.
    options : dict
        Options of the compiler.
    """

    def __init__(self, dispatcher: Any, options: dict[str, Any]) -> None:
        self._name = dispatcher.py_func.__name__
        options = {**options, "nopython": True, "no_cpython_wrapper": True}
        self._compiler = type(dispatcher._compiler)(
            dispatcher.py_func, dispatcher.targetdescr, options, {}, _PartCompiler
        )
        self._made: dict[tuple[Any, ...], Any] = {}
        # numba calls these two methods of the dispatcher when compiled code calls the function
        dispatcher.get_call_template = self.get_call_template
        dispatcher.get_overload = self.get_overload

    def get_call_template(self, args: Any, kws: Any) -> Any:
        """Return the typing of a call, as `Dispatcher` does, and compile the part if necessary."""
        signature, kinds = self._compiler.fold_argument_types(args, kws)
        kinds = tuple(_of_any_number(kind) for kind in kinds)
        if kinds not in self._made:
            with global_compiler_lock:
                self._made[kinds] = self._compiler.compile(kinds, None)
        signatures = [made.signature for made in self._made.values()]
        template = typing.make_concrete_template(self._name, self._name, signatures)
        return template, signature, kinds, {}

    def get_overload(self, kinds: Any) -> Any:
        """Return the entry point that identifies a part, as `Dispatcher` does."""
        return self._made[tuple(kinds)].entry_point


def _of_any_number(kind: Any) -> Any:
    """Return a type without its literal values.

    A variable that begins as 0 has a literal type until numba has analysed the rest of the
    function. For this type numba would compile a part that no function calls.
    """
    if isinstance(kind, Literal | BaseAnonymousTuple):
        return unliteral(kind)
    return kind


class _PartCompiler(CompilerBase):
    def define_pipelines(self) -> list[Any]:
        manager = PassManager("part")
        for define in (
            DefaultPassBuilder.define_untyped_pipeline,
            DefaultPassBuilder.define_typed_pipeline,
        ):
            made = define(self.state).passes
            manager.passes.extend(item for item in made if item[0].__name__ not in NEEDLESS)
        for each in (IRLegalization, _LowerPart, NoPythonBackend):
            manager.add_pass(each, each.__name__)
        manager.finalize()
        return [manager]


@register_pass(mutates_CFG=True, analysis_only=False)
class _LowerPart(NativeLowering):
    _name = "part_lowering"

    def run_pass(self, state: Any) -> bool:
        target = state.targetctx
        state.library = _PartLibrary(target.codegen(), state.func_id.func_qualname)
        state.flags.no_compile = True
        super().run_pass(state)
        state.library.finalize()
        described, helper, _, environment = state["cr"]
        name = object()  # in numba itself, the wrapper of the machine code
        target.insert_user_function(name, described, [state.library])
        state["cr"] = _LowerResult(described, helper, cfunc=name, env=environment)
        return True


class _PartLibrary(JITCodeLibrary):
    """Instructions that are linked into callers and optimised there."""

    def add_ir_module(self, ir_module: Any) -> None:
        """Add a module, and mark functions that are not inlined as ``noinline``."""
        for function in ir_module.functions:
            if not function.is_declaration and "alwaysinline" not in function.attributes:
                function.attributes.add("noinline")
        super().add_ir_module(ir_module)

    def _optimize_final_module(self) -> None:
        pass

    def _finalize_final_module(self) -> None:
        self._finalize_dynamic_globals()
        self._finalized = True
