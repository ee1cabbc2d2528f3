<?php

// Settings as WC_Settings_API has them: one option, fields by type, errors that do not stop the other fields.

abstract class WC_Settings_API
{
    public $plugin_id = 'woocommerce_';
    public $id = '';
    public $errors = [];
    public $settings = [];
    public $form_fields = [];

    public function get_form_fields()
    {
        return array_map(static fn ($field) => $field + ['default' => ''], $this->form_fields);
    }

    public function get_option_key()
    {
        return $this->plugin_id . $this->id . '_settings';
    }

    public function get_field_key($key)
    {
        return $this->plugin_id . $this->id . '_' . $key;
    }

    public function init_settings()
    {
        $this->settings = get_option($this->get_option_key(), null);
        if (!is_array($this->settings)) {
            $this->settings = wp_list_pluck($this->get_form_fields(), 'default');
        }
    }

    public function get_option($key, $empty_value = null)
    {
        if (empty($this->settings)) {
            $this->init_settings();
        }
        $fields = $this->get_form_fields();
        $this->settings[$key] = $this->settings[$key] ?? ($fields[$key]['default'] ?? '');
        return $this->settings[$key] === '' && $empty_value !== null ? $empty_value : $this->settings[$key];
    }

    public function update_option($key, $value = '')
    {
        if (empty($this->settings)) {
            $this->init_settings();
        }
        $this->settings[$key] = $value;
        return update_option($this->get_option_key(), $this->settings, 'yes');
    }

    public function get_field_value($key, $field, $post_data = [])
    {
        $value = $post_data[$this->get_field_key($key)] ?? null;
        foreach (["validate_{$key}_field", "validate_{$field['type']}_field"] as $method) {
            if (is_callable([$this, $method])) {
                return $this->$method($key, $value);
            }
        }
        return $this->validate_text_field($key, $value);
    }

    public function validate_text_field($key, $value)
    {
        return wp_kses_post(trim(stripslashes($value ?? '')));
    }

    public function validate_textarea_field($key, $value)
    {
        return $this->validate_text_field($key, $value);
    }

    public function validate_checkbox_field($key, $value)
    {
        return $value !== null ? 'yes' : 'no';
    }

    public function get_post_data()
    {
        return $_POST;
    }

    public function process_admin_options()
    {
        $this->init_settings();
        foreach ($this->get_form_fields() as $key => $field) {
            try {
                $this->settings[$key] = $this->get_field_value($key, $field, $_POST);
            } catch (Exception $error) {
                $this->add_error($error->getMessage());
            }
        }
        return update_option($this->get_option_key(), $this->settings, 'yes');
    }

    public function add_error($error)
    {
        $this->errors[] = $error;
    }

    public function get_errors()
    {
        return $this->errors;
    }

    public function generate_settings_html()
    {
        $html = '';
        foreach ($this->get_form_fields() as $key => $field) {
            $method = "generate_{$field['type']}_html";
            $html .= method_exists($this, $method) ? $this->$method($key, $field) : $this->inputHtml($key, $field);
        }
        return $html;
    }

    private function inputHtml($key, $field)
    {
        $name = esc_attr($this->get_field_key($key));
        $value = $this->get_option($key);
        $isBox = $field['type'] === 'checkbox';
        $rest = $isBox ? 'type="checkbox" value="1" ' . checked($value, 'yes', false) : 'value="' . esc_attr($value) . '"';
        $description = wp_kses_post($field['description'] ?? '');
        return '<tr><th><label for="' . $name . '">' . wp_kses_post($field['title']) . '</label></th><td>' .
            "<input id=\"$name\" name=\"$name\" $rest /><p>$description</p></td></tr>";
    }

    public function admin_options()
    {
        echo '<table class="form-table">' . $this->generate_settings_html() . '</table>';
    }
}
