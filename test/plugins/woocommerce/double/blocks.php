<?php

// The part of the checkout block that ways to pay meet: the class that they extend, the registry of the server, and in
// the page the registry that their script calls.

namespace Automattic\WooCommerce\Blocks\Payments\Integrations {
    abstract class AbstractPaymentMethodType
    {
        protected $name = '';
        protected $settings = [];

        public function get_name()
        {
            return $this->name;
        }

        abstract public function initialize();

        public function is_active()
        {
            return false;
        }

        public function get_payment_method_script_handles()
        {
            return [];
        }

        public function get_payment_method_data()
        {
            return [];
        }
    }
}

namespace Automattic\WooCommerce\Utilities {
    final class FeaturesUtil
    {
        public static $declared = [];

        public static function declare_compatibility(string $feature, string $file, bool $positive = true): bool
        {
            self::$declared[$feature] = [$file, $positive];
            return true;
        }
    }
}

namespace {
    final class WC_Double_Blocks
    {
        private static $registry = null;
        private $methods = [];

        public static function registry(): self
        {
            return self::$registry = self::$registry ?? new self();
        }

        public function register($method): void
        {
            $this->methods[] = $method;
        }

        /** Where the real page would show the block, every registered way is shown by its own script. */
        public static function show(): void
        {
            $data = [];
            $handles = [];
            foreach (self::registry()->methods as $method) {
                $method->initialize();
                if ($method->is_active()) {
                    $data[$method->get_name() . '_data'] = $method->get_payment_method_data();
                    $handles = array_merge($handles, $method->get_payment_method_script_handles());
                }
            }
            wp_register_script('wc-settings', false, [], '1', true);
            wp_register_script('wc-blocks-registry', false, ['wp-element', 'wc-settings'], '1', true);
            wp_add_inline_script('wc-settings', 'window.wc = { wcSettings: { getSetting: (name) => (' .
                wp_json_encode((object) $data) . ')[name] } };');
            wp_add_inline_script('wc-blocks-registry', "wc.wcBlocksRegistry = { registerPaymentMethod(method) {
                const shown = wp.element.createElement('section', null, method.label, method.content);
                wp.element.render(shown, document.getElementById('block'));
            } };");
            echo '<div id="block"></div>';
            wp_print_scripts($handles);
        }
    }
}
